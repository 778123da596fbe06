import {
  type Block,
  LIVE_PROGRAMS,
  JsonCursor,
  parseBlock,
  type ParsedTransaction,
  TransactionParser,
} from '@fresnel/domain/events';
import { toSignature, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { parseSlot } from './parse-slot';

const LEDGER = [...generateLedger({ seed: 31, slots: 40 })];
const BLOCK_TIME = 1_234_567_890;

const blockOf = (slot: number, json: string): Block => parseBlock(new JsonCursor(json), toSlot(slot));

/** A block whose transactions have these JSON texts. */
function blockOfTexts(...texts: string[]): Block {
  return {
    slot: toSlot(77),
    parentSlot: toSlot(76),
    blockhash: ZERO_HASH,
    parentBlockhash: ZERO_HASH,
    blockTime: null,
    blockHeight: null,
    transactionCount: texts.length,
    transactions: texts.map((json, index) => ({ index, json })),
    signatures: null,
  };
}

describe('parseSlot', () => {
  const parser = new TransactionParser(LIVE_PROGRAMS);
  const all = LEDGER.flatMap(({ facts }) => facts.transactions);
  const [genuine] = all.filter(({ events }) => events.length > 0);

  afterEach(() => jest.restoreAllMocks());

  it('finds the transactions with events, in block order, with all their events', () => {
    let withSeveralEvents = 0;
    for (const { slot, json, facts } of LEDGER) {
      const { transactions, deadLetters } = parseSlot(blockOf(slot, json), BLOCK_TIME, parser);
      const expected = facts.transactions.flatMap(({ signature, events, members }, index) =>
        events.length > 0 ? [{ signature, index, members, count: events.length }] : [],
      );
      expect(deadLetters).toEqual([]);
      expect(transactions.map(({ signature, index, events }) => ({ signature, index, count: events.length }))).toEqual(
        expected.map(({ signature, index, count }) => ({ signature, index, count })),
      );
      expect(transactions.map((transaction) => transaction.json)).toEqual(
        expected.map(({ members }) => `{"slot":${slot},"blockTime":${BLOCK_TIME},${members}}`),
      );
      withSeveralEvents += expected.filter(({ count }) => count > 1).length;
    }
    expect(withSeveralEvents).toBeGreaterThan(0);
  });

  it('preserves every digit and every space of the transaction', () => {
    const odd = `{ "big":18446744073709551615 ,"small":1.50e-3,"text":"}\\"{\\u0041",\n${genuine.members} }`;
    const [{ json }] = parseSlot(blockOfTexts('{}', odd), BLOCK_TIME, parser).transactions;
    expect(json).toBe(`{"slot":77,"blockTime":${BLOCK_TIME},${odd.slice(1).trimStart()}`);
    expect(JSON.parse(json)).toMatchObject({ slot: 77, blockTime: BLOCK_TIME, small: 0.0015, text: '}"{A' });
  });

  it('omits transactions without compression events', () => {
    const failed = `{"transaction":["","base64"],"meta":{"err":"AccountInUse"}}`;
    expect(parseSlot(blockOfTexts(failed), BLOCK_TIME, parser)).toEqual({ transactions: [], deadLetters: [] });
  });

  it('makes a dead letter of a transaction that cannot be decoded, with the reason and the whole text', () => {
    const withoutMeta = JSON.stringify({ ...JSON.parse(`{${genuine.members}}`), meta: null });
    const { transactions, deadLetters } = parseSlot(blockOfTexts('{"meta":{}}', withoutMeta), BLOCK_TIME, parser);
    expect(transactions).toEqual([]);
    expect(deadLetters).toEqual([
      {
        signature: null,
        index: 0,
        reasons: ['transaction: not in base64'],
        json: `{"slot":77,"blockTime":${BLOCK_TIME},"meta":{}}`,
      },
      {
        signature: genuine.signature,
        index: 1,
        reasons: [expect.stringMatching(/^transaction: /)],
        json: `{"slot":77,"blockTime":${BLOCK_TIME},${withoutMeta.slice(1)}`,
      },
    ]);
  });

  it('returns the events of a partly decoded transaction, and a dead letter as well', () => {
    const signature = toSignature(Buffer.alloc(64, 5));
    const { events } = parser.parse(`{${genuine.members}}`) ?? { events: [] };
    const parsed: ParsedTransaction = {
      signature,
      events,
      problems: ['tree event: too short', 'tree event: too long'],
    };
    jest.spyOn(parser, 'parse').mockReturnValue(parsed);
    const json = `{"slot":77,"blockTime":${BLOCK_TIME},"a":1}`;
    expect(parseSlot(blockOfTexts('{"a":1}'), BLOCK_TIME, parser)).toEqual({
      transactions: [{ signature, index: 0, events, json }],
      deadLetters: [{ signature, index: 0, reasons: parsed.problems, json }],
    });
  });

  it('makes a dead letter without events of a transaction whose place is unknown', () => {
    const block = blockOfTexts(`{${genuine.members}}`);
    const [transaction] = block.transactions;
    const problem = 'signature-in-two-slots: it is also in slot 70';
    const { transactions, deadLetters } = parseSlot(
      { ...block, transactions: [{ ...transaction, problem }] },
      5,
      parser,
    );
    expect(transactions).toEqual([]);
    expect(deadLetters).toMatchObject([{ signature: genuine.signature, index: 0, reasons: [problem] }]);
  });

  it.each([
    ['an empty object', '{ }', '{"slot":77,"blockTime":5}'],
    ['nothing', 'null', '{"slot":77,"blockTime":5,"transaction":null}'],
    ['a text with a brace', '"a{b"', '{"slot":77,"blockTime":5,"transaction":"a{b"}'],
  ])('makes a dead letter of %s, as valid JSON', (_, text, expected) => {
    const { deadLetters } = parseSlot(blockOfTexts(text), 5, parser);
    expect(deadLetters.map(({ json }) => JSON.stringify(JSON.parse(json)))).toEqual([expected]);
  });
});
