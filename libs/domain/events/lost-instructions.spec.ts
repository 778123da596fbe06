import { generateLedger } from '@fresnel/ledger-generator';
import { type TransitionEvent } from './events';
import { TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';

interface InnerInstructions {
  index: number;
  instructions: { data: string }[];
}

interface RawJson {
  transaction: [string, string];
  meta: { innerInstructions: InnerInstructions[] };
}

const parser = new TransactionParser(LIVE_PROGRAMS);
const TRANSACTIONS = [...generateLedger({ seed: 23, slots: 50 })]
  .flatMap(({ json }) => (JSON.parse(json) as { transactions: RawJson[] }).transactions)
  .map((raw) => ({ raw, complete: parse(raw).transitions }))
  .filter(({ complete }) => complete.length > 0);

function parse(raw: RawJson): { transitions: TransitionEvent[]; problems: readonly string[] } {
  const { events = [], problems = [] } = parser.parse(JSON.stringify(raw)) ?? {};
  const transitions = events.filter((event) => event.kind === 'transition').filter(({ format }) => format === 2);
  return { transitions, problems };
}

/** What the insert itself states: everything but the bodies and owners of accounts. */
const insertedBy = ({ inputs, outputs, newAddresses, sequenceNumbers }: TransitionEvent) => ({
  inputs,
  outputs: outputs.map(({ hash, leafIndex, treeAccount }) => ({ hash, leafIndex, treeAccount })),
  newAddresses,
  sequenceNumbers,
});

/** The transaction without one of its inner instructions, for each of them. */
function* withoutEach(raw: RawJson): Generator<RawJson> {
  const { innerInstructions } = raw.meta;
  for (const [at, { index, instructions }] of innerInstructions.entries()) {
    for (const lost of instructions.keys()) {
      const rest = { index, instructions: instructions.toSpliced(lost, 1) };
      yield { ...raw, meta: { ...raw.meta, innerInstructions: innerInstructions.with(at, rest) } };
    }
  }
}

describe('a V2 transition of which other instructions are missing', () => {
  const reduced = TRANSACTIONS.flatMap(({ raw, complete }) =>
    [...withoutEach(raw)].map((rest) => ({ complete, ...parse(rest) })),
  );

  it('keeps everything that its insert states, and is reported if it has no bodies', () => {
    let reported = 0;
    for (const { complete, transitions, problems } of reduced) {
      if (transitions.length < complete.length) continue; // the insert itself is missing
      expect(transitions.map(insertedBy)).toEqual(complete.map(insertedBy));
      const hasAllBodies = transitions.every(({ outputs }) => outputs.every(({ body }) => body !== null));
      if (hasAllBodies) continue;
      expect(problems.length).toBeGreaterThan(0);
      reported++;
    }
    expect(TRANSACTIONS.length).toBeGreaterThan(50);
    expect(reported).toBeGreaterThan(50);
  });

  it('names the missing system instruction as the problem', () => {
    expect(reduced.flatMap(({ problems }) => problems)).toContain('no light system instruction called the insert');
  });
});
