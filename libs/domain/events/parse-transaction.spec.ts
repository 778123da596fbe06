import { generateLedger } from '@fresnel/ledger-generator';
import { MalformedBlockError } from './block';
import { TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';

interface BlockJson {
  transactions: { transaction: [string, string]; meta: Record<string, unknown> }[];
}

/** The generator's names of events that the parser names otherwise. A migration is two events. */
const NAMES: Record<string, string[]> = {
  'outputs-appended': ['batch-append'],
  'inputs-nullified': ['batch-nullify'],
  'addresses-appended': ['batch-address-append'],
  'leaf-migrated': ['leaves-nullified', 'leaf-migrated'],
};

describe('TransactionParser', () => {
  const parser = new TransactionParser(LIVE_PROGRAMS);
  const parse = (transaction: unknown) => parser.parse(JSON.stringify(transaction));

  it('finds exactly the events of a generated ledger', () => {
    let transitions = 0;
    let migrations = 0;
    for (const { json, facts } of generateLedger({ seed: 7, slots: 60, weights: { migrateLeaves: 5 } })) {
      const { transactions } = JSON.parse(json) as BlockJson;
      facts.transactions.forEach((expected, index) => {
        const parsed = parse(transactions[index]);
        expect(parsed?.problems ?? []).toEqual([]);
        const events = parsed?.events ?? [];
        expect(events.map(({ kind }) => kind).sort()).toEqual(
          expected.events.flatMap(({ kind }) => NAMES[kind] ?? [kind]).sort(),
        );
        if (parsed) expect(parsed.signature).toEqual(expected.signature);
        transitions += events.filter(({ kind }) => kind === 'transition').length;
        migrations += events.filter(({ kind }) => kind === 'leaf-migrated').length;
      });
    }
    expect(transitions).toBeGreaterThan(100);
    expect(migrations).toBeGreaterThan(10);
  });

  const [block] = [...generateLedger({ seed: 3, slots: 40 })].filter(({ facts }) =>
    facts.transactions.some(({ events }) => events.length > 0),
  );
  const raw = (JSON.parse(block.json) as BlockJson).transactions[
    block.facts.transactions.findIndex(({ events }) => events.length > 0)
  ];

  it.each([
    [
      'truncated bytes',
      {
        ...raw,
        transaction: [Buffer.from(raw.transaction[0], 'base64').subarray(0, 400).toString('base64'), 'base64'],
      },
    ],
    ['no meta', { transaction: raw.transaction, meta: null }],
    [
      'inner instructions of a missing instruction',
      { ...raw, meta: { ...raw.meta, innerInstructions: [{ index: 99, instructions: [] }] } },
    ],
    [
      'inner instructions in parsed form',
      { ...raw, meta: { ...raw.meta, innerInstructions: [{ index: 0, instructions: [{ parsed: {} }] }] } },
    ],
    ['another encoding', { ...raw, transaction: { message: {} } }],
  ])('reports a problem for a transaction with %s, and does not throw', (_, malformed) => {
    const parsed = parse(malformed);
    expect(parsed?.events).toEqual([]);
    expect(parsed?.problems).toHaveLength(1);
  });

  it.each(['null', '"text"', '[]', '7'])('reports a problem for an entry that is %s', (json) => {
    expect(parser.parse(json)).toEqual({ signature: null, events: [], problems: ['transaction: not in base64'] });
  });

  it('finds the events of a text in any valid notation', () => {
    const { events } = parse(raw) ?? {};
    expect(events?.length).toBeGreaterThan(0);
    const json = JSON.stringify(raw);
    const notations = [
      JSON.stringify(raw, null, 2),
      JSON.stringify({ version: 0, meta: raw.meta, transaction: raw.transaction }),
      json.replaceAll('/', '\\/'),
      json.replaceAll(/[A-Z]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ];
    for (const notation of notations) {
      expect(notation).not.toBe(json);
      expect(parser.parse(notation)?.events).toEqual(events);
    }
  });

  it('rejects a text that is not JSON with a retryable error', () => {
    expect(() => parser.parse('{"transaction":[}')).toThrow(MalformedBlockError);
  });

  it('ignores transactions that failed', () => {
    expect(parse({ ...raw, meta: { ...raw.meta, err: { InstructionError: [0, 'Custom'] } } })).toBeNull();
  });
});
