import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { LIVE_PROGRAMS, MalformedBlockError } from '@fresnel/domain/events';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { blockhashAt } from '@fresnel/testing/chain';
import { BlockSchema } from '../generated/geyser-subset_pb';
import { type BlockFrame, parseBlockFrame } from './block-frame.codec';

const { accountCompression, lightSystem } = LIVE_PROGRAMS;

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

type Fields = MessageInitShape<typeof BlockSchema>;

const MESSAGE: Fields = {
  slot: 1002n,
  blockhash: toBase58(blockhashAt(1002)),
  parentSlot: 1000n,
  parentBlockhash: toBase58(blockhashAt(1000)),
  blockTime: { timestamp: 1_700_000_000n },
  blockHeight: { blockHeight: 900n },
  executedTransactionCount: 1n,
  transactions: [other],
};

const parse = (fields: Fields, watched: Pubkey | null, isFiltered = false): BlockFrame =>
  parseBlockFrame(create(BlockSchema, fields), watched, isFiltered);

describe('parseBlockFrame', () => {
  it('reads the header of a block', () => {
    expect(parse(MESSAGE, accountCompression)).toEqual({
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

  it.each([
    ['lacks all', { transactions: [] }, false],
    ['has one of several', { executedTransactionCount: 2n }, true],
    ['has all, as of a server that does not filter, and none is watched', {}, false],
    ['does not say how many it has', { executedTransactionCount: 0n, transactions: [] }, true],
  ])('needs a block that was filtered only if it may have a watched transaction: it %s', (_, fields, expected) => {
    expect(parse({ ...MESSAGE, ...fields }, accountCompression, true).needsFetch).toBe(expected);
  });

  it('returns null for a missing time and height', () => {
    const { blockTime, blockHeight } = parse({ ...MESSAGE, blockTime: undefined, blockHeight: undefined }, null);
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
    ['has no message', { ...other, transaction: {} }],
    ['has no contents', { ...other, transaction: undefined }],
    ['has no meta', { ...other, meta: undefined }],
  ])('needs a fetch if a transaction %s', (_, transaction) => {
    const message = { ...MESSAGE, executedTransactionCount: 2n, transactions: [other, transaction] };
    expect(parse(message, accountCompression).needsFetch).toBe(true);
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
    const message = { ...MESSAGE, executedTransactionCount: 2n, transactions: [other, loading] };
    expect(parse(message, accountCompression).needsFetch).toBe(false);
  });

  it.each([
    ['no key is watched', null, {}],
    ['it has no transactions', accountCompression, { executedTransactionCount: 0n, transactions: [] }],
    ['the message omits transactions', accountCompression, { executedTransactionCount: 2n }],
    ['it has more transactions than it counts', accountCompression, { executedTransactionCount: 0n }],
    ['it has no time', accountCompression, { blockTime: undefined }],
    ['its time is 0', accountCompression, { blockTime: { timestamp: 0n } }],
    ['it has no height', accountCompression, { blockHeight: undefined }],
  ])('needs a fetch if %s', (_, watched, difference) => {
    expect(parse({ ...MESSAGE, ...difference }, watched).needsFetch).toBe(true);
  });

  it.each([
    ['no slot', { slot: 0n }],
    ['a slot that would be rounded', { slot: 9_007_199_254_740_993n }],
    ['no blockhash', { blockhash: '' }],
    ['a parent blockhash that is not base58', { parentBlockhash: '0OIl' }],
    ['a time that would be rounded', { blockTime: { timestamp: 9_223_372_036_854_775_807n } }],
  ])('refuses %s', (_, difference) => {
    expect(() => parse({ ...MESSAGE, ...difference }, accountCompression)).toThrow(MalformedBlockError);
  });
});
