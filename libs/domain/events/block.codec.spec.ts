import { toBase58, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { MalformedBlockError } from './block';
import { parseBlock } from './block.codec';

const SLOT = toSlot(1002);
const HASH = toBase58(ZERO_HASH);
const FRAME = { parentSlot: 1000, blockhash: HASH, previousBlockhash: HASH, blockTime: 17, blockHeight: 9 };

/** Parses a whole response of a node. */
function parseResponse(result: string) {
  const json = `{"jsonrpc":"2.0","result":${result},"id":7}`;
  return parseBlock(SLOT, (JSON.parse(json) as { result: unknown }).result, json, ['result']);
}

describe('parseBlock', () => {
  it('parses the headers of generated blocks and keeps the texts of transactions', () => {
    for (const { slot, parentSlot, json, facts } of generateLedger({ seed: 5, slots: 20 })) {
      const result = JSON.parse(json) as Record<string, unknown>;
      const block = parseBlock(toSlot(slot), result, json, []);
      expect(block).toMatchObject({ slot, parentSlot, blockTime: facts.blockTime, blockHeight: result.blockHeight });
      expect(toBase58(block.blockhash)).toBe(result.blockhash);
      expect(toBase58(block.parentBlockhash)).toBe(result.previousBlockhash);
      expect(block.transactions).toEqual(result.transactions);
      facts.transactions.forEach(({ members }, index) => {
        expect(block.textOf(index)).toBe(`{${members}}`);
      });
    }
  });

  it('keeps all digits of numbers above 2^53', () => {
    const entry = '{"meta":{"fee":18446744073709551615, "x":1.50},"transaction":["AA==","base64"]}';
    const block = parseResponse(JSON.stringify(FRAME).replace(/}$/, `,"transactions":[{}, ${entry}]}`));
    expect([block.textOf(0), block.textOf(1)]).toEqual(['{}', entry]);
  });

  it('returns null for a missing time and height', () => {
    const { blockTime, blockHeight } = parseResponse(
      JSON.stringify({ ...FRAME, blockTime: null, blockHeight: undefined, transactions: [] }),
    );
    expect([blockTime, blockHeight]).toEqual([null, null]);
  });

  it('keeps entries that are not transactions, at their index', () => {
    const block = parseResponse(JSON.stringify({ ...FRAME, transactions: [null, 'text', { meta: 1 }] }));
    expect(block.transactions).toEqual([{}, {}, { meta: 1 }]);
    expect([0, 1, 2].map(block.textOf)).toEqual(['null', '"text"', '{"meta":1}']);
  });

  it('throws if the text of a missing transaction is requested', () => {
    const block = parseResponse(JSON.stringify({ ...FRAME, transactions: [{}] }));
    expect(() => block.textOf(1)).toThrow(MalformedBlockError);
  });

  it.each([
    ['nothing', null],
    ['a text', 'block'],
    ['a block without transactions', FRAME],
    ['transactions that are not an array', { ...FRAME, transactions: {} }],
    ['no parent slot', { ...FRAME, parentSlot: undefined, transactions: [] }],
    ['a parent slot that is a text', { ...FRAME, parentSlot: '1000', transactions: [] }],
    ['a parent slot below zero', { ...FRAME, parentSlot: -1, transactions: [] }],
    ['a parent slot with a fraction', { ...FRAME, parentSlot: 1000.5, transactions: [] }],
    ['no blockhash', { ...FRAME, blockhash: null, transactions: [] }],
    ['a blockhash that is too short', { ...FRAME, blockhash: '111', transactions: [] }],
    ['a parent blockhash that is not base58', { ...FRAME, previousBlockhash: '0OIl', transactions: [] }],
    ['a time that is a text', { ...FRAME, blockTime: '17', transactions: [] }],
    ['a height that is a list', { ...FRAME, blockHeight: [9], transactions: [] }],
  ])('rejects %s with a retryable error that names the block', (_, result) => {
    const parse = () => parseResponse(JSON.stringify(result));
    expect(parse).toThrow(MalformedBlockError);
    expect(parse).toThrow(/^block 1002: /);
    expect(parse).toThrow(expect.objectContaining({ code: 'malformed-block', isRetryable: true }));
  });
});
