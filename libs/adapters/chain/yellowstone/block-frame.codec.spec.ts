import { LIVE_PROGRAMS, MalformedBlockError } from '@fresnel/domain/events';
import { toBase58 } from '@fresnel/domain/primitives';
import { blockhashAt } from '@fresnel/testing/chain';
import { parseBlockFrame } from './block-frame.codec';

const { accountCompression, lightSystem } = LIVE_PROGRAMS;

const MESSAGE = {
  slot: '1002',
  blockhash: toBase58(blockhashAt(1002)),
  parentSlot: '1000',
  parentBlockhash: toBase58(blockhashAt(1000)),
  blockTime: { timestamp: '1700000000' },
  blockHeight: { blockHeight: '900' },
  executedTransactionCount: '0',
  transactions: [],
};

const naming = Buffer.concat([Buffer.from('before'), accountCompression, Buffer.from('behind')]);
const other = Buffer.concat([Buffer.from('before'), lightSystem]);

describe('parseBlockFrame', () => {
  it('reads the header of a block', () => {
    expect(parseBlockFrame(MESSAGE, null)).toEqual({
      slot: 1002,
      blockhash: blockhashAt(1002),
      parentSlot: 1000,
      parentBlockhash: blockhashAt(1000),
      blockTime: 1_700_000_000,
      blockHeight: 900,
      needsFetch: false,
      transactionCount: 0,
    });
  });

  it('returns null for a missing time and height', () => {
    const { blockTime, blockHeight } = parseBlockFrame({ ...MESSAGE, blockTime: null, blockHeight: undefined }, null);
    expect([blockTime, blockHeight]).toEqual([null, null]);
  });

  it.each([
    ['true if no key is watched', null, '3', [], true],
    ['false for an empty block if no key is watched', null, '0', [], false],
    ['true if a transaction names the watched key', accountCompression, '2', [other, naming], true],
    ['false if all transactions name other keys', accountCompression, '2', [other, other], false],
    ['false for an empty block', accountCompression, '0', [], false],
    ['true if the message omits transactions', accountCompression, '3', [other, other], true],
    ['true if the message has more transactions than it counts', accountCompression, '0', [other], true],
  ])('needs a fetch: %s', (_, watched, executedTransactionCount, transactions, needsFetch) => {
    const message = { ...MESSAGE, executedTransactionCount, transactions };
    expect(parseBlockFrame(message, watched).needsFetch).toBe(needsFetch);
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
    ['a transaction that is not bytes', { ...MESSAGE, executedTransactionCount: '1', transactions: ['text'] }],
  ])('refuses %s', (_, message) => {
    expect(() => parseBlockFrame(message, accountCompression)).toThrow(MalformedBlockError);
  });
});
