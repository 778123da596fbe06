import { toBase58, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { MalformedBlockError } from './block';
import { parseBlock } from './block.codec';
import { findSignatures } from './find-signatures';
import { JsonCursor } from './json-cursor';

const SLOT = toSlot(1002);
const HASH = toBase58(ZERO_HASH);
const FRAME = { parentSlot: 1000, blockhash: HASH, previousBlockhash: HASH, blockTime: 17, blockHeight: 9 };

function parseResult(result: string) {
  return parseBlock(new JsonCursor(result), SLOT);
}

describe('parseBlock', () => {
  it('parses the headers of generated blocks and keeps the texts of transactions', () => {
    for (const { slot, parentSlot, json, facts } of generateLedger({ seed: 5, slots: 20 })) {
      const result = JSON.parse(json) as Record<string, unknown>;
      const block = parseBlock(new JsonCursor(json), toSlot(slot));
      expect(block).toMatchObject({ slot, parentSlot, blockTime: facts.blockTime, blockHeight: result.blockHeight });
      expect(toBase58(block.blockhash)).toBe(result.blockhash);
      expect(toBase58(block.parentBlockhash)).toBe(result.previousBlockhash);
      expect(block.transactionCount).toBe(facts.transactions.length);
      expect(block.transactions).toEqual(
        facts.transactions.map(({ members }, index) => ({ index, json: `{${members}}` })),
      );
      const texts = block.transactions.map((transaction) => transaction.json);
      expect(block.signatures).toEqual(findSignatures(texts));
    }
  });

  it('keeps all digits of numbers above 2^53', () => {
    const entry = '{"meta":{"fee":18446744073709551615, "x":1.50},"transaction":["AA==","base64"]}';
    const block = parseResult(JSON.stringify(FRAME).replace(/}$/, `,"transactions":[{}, ${entry}]}`));
    expect(block.transactions).toEqual([
      { index: 0, json: '{}' },
      { index: 1, json: entry },
    ]);
  });

  it('accepts the first block of a chain, which is its own parent', () => {
    const json = JSON.stringify({ ...FRAME, parentSlot: 0, transactions: [] });
    expect(parseBlock(new JsonCursor(json), toSlot(0))).toMatchObject({ slot: 0, parentSlot: 0 });
  });

  it('returns null for a missing time and height', () => {
    const { blockTime, blockHeight } = parseResult(
      JSON.stringify({ ...FRAME, blockTime: null, blockHeight: undefined, transactions: [] }),
    );
    expect([blockTime, blockHeight]).toEqual([null, null]);
  });

  it.each([0, -1])('returns null for the time %d, which a node writes if it does not know the time', (blockTime) => {
    expect(parseResult(JSON.stringify({ ...FRAME, blockTime, transactions: [] })).blockTime).toBeNull();
  });

  it('keeps entries that are not transactions, at their index', () => {
    const block = parseResult(JSON.stringify({ ...FRAME, transactions: [null, 'text', { meta: 1 }] }));
    expect(block.transactions.map(({ json }) => json)).toEqual(['null', '"text"', '{"meta":1}']);
  });

  it('keeps the selected transactions with their index, and counts all of them', () => {
    const json = JSON.stringify({ ...FRAME, transactions: [{ a: 1 }, { b: 2 }, { a: 3 }] });
    const rules = { keeps: (text: string) => text.includes('a'), signaturesFrom: SLOT };
    const { transactionCount, transactions, signatures } = parseBlock(new JsonCursor(json), SLOT, rules);
    expect([transactionCount, signatures]).toEqual([3, []]);
    expect(transactions).toEqual([
      { index: 0, json: '{"a":1}' },
      { index: 2, json: '{"a":3}' },
    ]);
  });

  it('reads no signatures below the slot from which they are read', () => {
    const [{ slot, json }] = generateLedger({ seed: 6, slots: 1, transactionsPerSlot: 20 });
    const readFrom = (signaturesFrom: number) =>
      parseBlock(new JsonCursor(json), toSlot(slot), { keeps: () => false, signaturesFrom }).signatures;
    expect(readFrom(slot)?.length).toBeGreaterThan(0);
    expect(readFrom(slot + 1)).toBeNull();
  });

  it('reads the slot from a recorded block', () => {
    const json = JSON.stringify({ slot: 1007, ...FRAME, transactions: [] });
    expect(parseBlock(new JsonCursor(json)).slot).toBe(1007);
    expect(parseBlock(new JsonCursor(json), SLOT).slot).toBe(SLOT);
    expect(() => parseBlock(new JsonCursor(json.replace('1007', '"x"')))).toThrow('expected a number');
  });

  it.each([
    ['nothing', null],
    ['a text', 'block'],
    ['a block without transactions', FRAME],
    ['transactions that are not an array', { ...FRAME, transactions: {} }],
    ['no parent slot', { ...FRAME, parentSlot: undefined, transactions: [] }],
    ['a parent slot that is a text', { ...FRAME, parentSlot: '1000', transactions: [] }],
    ['a parent slot below zero', { ...FRAME, parentSlot: -1, transactions: [] }],
    ['a parent slot that is its own', { ...FRAME, parentSlot: 1002, transactions: [] }],
    ['a parent slot above its own', { ...FRAME, parentSlot: 1003, transactions: [] }],
    ['a parent slot with a fraction', { ...FRAME, parentSlot: 1000.5, transactions: [] }],
    ['no blockhash', { ...FRAME, blockhash: null, transactions: [] }],
    ['a blockhash that is too short', { ...FRAME, blockhash: '111', transactions: [] }],
    ['a parent blockhash that is not base58', { ...FRAME, previousBlockhash: '0OIl', transactions: [] }],
    ['a time that is a text', { ...FRAME, blockTime: '17', transactions: [] }],
    ['a height that is a list', { ...FRAME, blockHeight: [9], transactions: [] }],
  ])('rejects %s with a retryable error that names the block', (_, result) => {
    const parse = () => parseResult(JSON.stringify(result));
    expect(parse).toThrow(MalformedBlockError);
    expect(parse).toThrow(/^block 1002: /);
    expect(parse).toThrow(expect.objectContaining({ code: 'malformed-block', isRetryable: true }));
  });
});
