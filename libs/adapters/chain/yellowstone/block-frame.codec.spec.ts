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
  it('reads what a block says of itself', () => {
    expect(parseBlockFrame(MESSAGE, null)).toEqual({
      slot: 1002,
      blockhash: blockhashAt(1002),
      parentSlot: 1000,
      parentBlockhash: blockhashAt(1000),
      blockTime: 1_700_000_000,
      blockHeight: 900,
      hasWanted: false,
    });
  });

  it('knows neither time nor height where the stream does not', () => {
    const { blockTime, blockHeight } = parseBlockFrame({ ...MESSAGE, blockTime: null, blockHeight: undefined }, null);
    expect([blockTime, blockHeight]).toEqual([null, null]);
  });

  it.each([
    ['wants every transaction where no key is watched', null, '3', [], true],
    ['wants nothing of an empty block', null, '0', [], false],
    ['wants a block whose transactions name the key', accountCompression, '2', [other, naming], true],
    ['does not want one whose transactions name others', accountCompression, '2', [other, other], false],
    ['does not want an empty one either', accountCompression, '0', [], false],
    ['wants a block that came without some of its transactions', accountCompression, '3', [other, other], true],
    ['wants a block that came with more than it says', accountCompression, '0', [other], true],
  ])('%s', (_, watched, executedTransactionCount, transactions, hasWanted) => {
    const message = { ...MESSAGE, executedTransactionCount, transactions };
    expect(parseBlockFrame(message, watched).hasWanted).toBe(hasWanted);
  });

  it.each([
    ['nothing', null],
    ['no slot', { ...MESSAGE, slot: undefined }],
    ['an empty slot', { ...MESSAGE, slot: '' }],
    ['a slot that would be rounded', { ...MESSAGE, slot: '9007199254740993' }],
    ['a slot below zero', { ...MESSAGE, slot: '-1' }],
    ['no blockhash', { ...MESSAGE, blockhash: '' }],
    ['a parent that is no base58', { ...MESSAGE, parentBlockhash: '0OIl' }],
    ['a time that would be rounded', { ...MESSAGE, blockTime: { timestamp: '9223372036854775807' } }],
    ['no list of transactions', { ...MESSAGE, transactions: null }],
    ['a transaction that is no bytes', { ...MESSAGE, executedTransactionCount: '1', transactions: ['text'] }],
  ])('refuses %s', (_, message) => {
    expect(() => parseBlockFrame(message, accountCompression)).toThrow(MalformedBlockError);
  });
});
