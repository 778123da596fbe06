import { LIVE_PROGRAMS, MalformedBlockError } from '@fresnel/domain/events';
import { toBase58 } from '@fresnel/domain/primitives';
import { blockhashAt } from '@fresnel/testing/chain';
import { parseBlockFrame } from './block-frame.codec';

const { accountCompression, lightSystem } = LIVE_PROGRAMS;

/** A transaction as the partial decoder returns it. */
const toMessage = ({
  keys = [lightSystem],
  lookups = [[0, 0]],
  writable = [] as Buffer[],
  readonly = [] as Buffer[],
}) => ({
  transaction: {
    message: {
      accountKeys: keys,
      addressTableLookups: lookups.map(([write, read]) => ({
        writableIndexes: Buffer.alloc(write),
        readonlyIndexes: Buffer.alloc(read),
      })),
    },
  },
  meta: { loadedWritableAddresses: writable, loadedReadonlyAddresses: readonly },
});

const other = toMessage({});

const MESSAGE = {
  slot: '1002',
  blockhash: toBase58(blockhashAt(1002)),
  parentSlot: '1000',
  parentBlockhash: toBase58(blockhashAt(1000)),
  blockTime: { timestamp: '1700000000' },
  blockHeight: { blockHeight: '900' },
  executedTransactionCount: '1',
  transactions: [other],
};

describe('parseBlockFrame', () => {
  it('reads the header of a block', () => {
    expect(parseBlockFrame(MESSAGE, accountCompression)).toEqual({
      slot: 1002,
      blockhash: blockhashAt(1002),
      parentSlot: 1000,
      parentBlockhash: blockhashAt(1000),
      blockTime: 1_700_000_000,
      blockHeight: 900,
      needsFetch: false,
      transactionCount: 1,
    });
  });

  it('returns null for a missing time and height', () => {
    const { blockTime, blockHeight } = parseBlockFrame({ ...MESSAGE, blockTime: null, blockHeight: undefined }, null);
    expect([blockTime, blockHeight]).toEqual([null, null]);
  });

  it.each([
    ['names the watched key', toMessage({ keys: [lightSystem, accountCompression] })],
    ['loads the watched key to write', toMessage({ lookups: [[1, 0]], writable: [accountCompression] })],
    [
      'loads the watched key to read',
      toMessage({
        lookups: [
          [1, 0],
          [0, 1],
        ],
        writable: [lightSystem],
        readonly: [accountCompression],
      }),
    ],
    ['lacks keys of its lookup tables', toMessage({ lookups: [[1, 1]], writable: [lightSystem] })],
    ['has no keys', toMessage({ keys: [] })],
    ['has only loaded keys', toMessage({ keys: [], lookups: [[1, 0]], writable: [lightSystem] })],
    ['has no message', { ...other, transaction: { message: null } }],
    ['has no contents', { ...other, transaction: undefined }],
    ['has no meta', { ...other, meta: null }],
  ])('needs a fetch if a transaction %s', (_, transaction) => {
    const message = { ...MESSAGE, executedTransactionCount: '2', transactions: [other, transaction] };
    expect(parseBlockFrame(message, accountCompression).needsFetch).toBe(true);
  });

  it('needs no fetch if all transactions name other keys', () => {
    const loading = toMessage({
      lookups: [
        [1, 0],
        [0, 1],
      ],
      writable: [lightSystem],
      readonly: [lightSystem],
    });
    const message = { ...MESSAGE, executedTransactionCount: '2', transactions: [other, loading] };
    expect(parseBlockFrame(message, accountCompression).needsFetch).toBe(false);
  });

  it.each([
    ['no key is watched', null, {}],
    ['it has no transactions', accountCompression, { executedTransactionCount: '0', transactions: [] }],
    ['the message omits transactions', accountCompression, { executedTransactionCount: '2' }],
    ['it has more transactions than it counts', accountCompression, { executedTransactionCount: '0' }],
    ['it has no time', accountCompression, { blockTime: null }],
    ['its time is 0', accountCompression, { blockTime: { timestamp: '0' } }],
    ['it has no height', accountCompression, { blockHeight: undefined }],
  ])('needs a fetch if %s', (_, watched, difference) => {
    expect(parseBlockFrame({ ...MESSAGE, ...difference }, watched).needsFetch).toBe(true);
  });

  it.each([
    ['nothing', null],
    ['no slot', { ...MESSAGE, slot: undefined }],
    ['an empty slot', { ...MESSAGE, slot: '' }],
    ['a slot that would be rounded', { ...MESSAGE, slot: '9007199254740993' }],
    ['a slot below zero', { ...MESSAGE, slot: '-1' }],
    ['no blockhash', { ...MESSAGE, blockhash: '' }],
    ['a parent blockhash that is not base58', { ...MESSAGE, parentBlockhash: '0OIl' }],
    ['a time that would be rounded', { ...MESSAGE, blockTime: { timestamp: '9223372036854775807' } }],
    ['no array of transactions', { ...MESSAGE, transactions: null }],
    ['a transaction that is text', { ...MESSAGE, transactions: ['text'] }],
    [
      'a key that is text',
      { ...MESSAGE, transactions: [{ ...other, transaction: { message: { accountKeys: ['x'] } } }] },
    ],
  ])('refuses %s', (_, message) => {
    expect(() => parseBlockFrame(message, accountCompression)).toThrow(MalformedBlockError);
  });
});
