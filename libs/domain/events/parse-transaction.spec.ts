import { generateLedger } from '@fresnel/ledger-generator';
import { TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';

interface BlockJson {
  transactions: { transaction: [string, string]; meta: Record<string, unknown> }[];
}

/** Kinds of batches: the generator's names, and those of events. */
const BATCHES: Record<string, string> = {
  'outputs-appended': 'batch-append',
  'inputs-nullified': 'batch-nullify',
  'addresses-appended': 'batch-address-append',
};

describe('TransactionParser', () => {
  const parser = new TransactionParser(LIVE_PROGRAMS);

  it('finds exactly the events of a generated ledger', () => {
    let transitions = 0;
    for (const { json, facts } of generateLedger({ seed: 7, slots: 60 })) {
      const { transactions } = JSON.parse(json) as BlockJson;
      facts.transactions.forEach((expected, index) => {
        const parsed = parser.parse(transactions[index]);
        expect(parsed?.problems ?? []).toEqual([]);
        const events = parsed?.events ?? [];
        expect(events.map(({ kind }) => kind).sort()).toEqual(
          expected.events.map(({ kind }) => BATCHES[kind] ?? kind).sort(),
        );
        if (parsed) expect(parsed.signature).toEqual(expected.signature);
        transitions += events.filter(({ kind }) => kind === 'transition').length;
      });
    }
    expect(transitions).toBeGreaterThan(100);
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
    const parsed = parser.parse(malformed);
    expect(parsed?.events).toEqual([]);
    expect(parsed?.problems).toHaveLength(1);
  });

  it('ignores transactions that failed or use other programs, also malformed ones', () => {
    expect(parser.parse({ ...raw, meta: { ...raw.meta, err: { InstructionError: [0, 'Custom'] } } })).toBeNull();
    expect(
      parser.parse({ transaction: [Buffer.alloc(100).toString('base64'), 'base64'], meta: { err: null } }),
    ).toBeNull();
  });
});
