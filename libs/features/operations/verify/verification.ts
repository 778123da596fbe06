/** What is checked. */
export const CHECK_KINDS = ['trees', 'transactions', 'accounts', 'balances', 'lists', 'signatures', 'proofs'] as const;

export type CheckKind = (typeof CHECK_KINDS)[number];

/** One of two answers that differ. */
export interface Said {
  /** The index that is verified, the other index, the chain's own accounts, or what follows from the answer by hashing. */
  by: 'index' | 'against' | 'node' | 'hashing';
  /** The slot at which it is true; null if it has none. */
  slot: number | null;
  answer: unknown;
}

export interface Difference {
  kind: CheckKind;
  /** The method and its params, or the tree. */
  question: string;
  /** The place in the answers, such as `.items[3].lamports`; empty: the whole answers. */
  at: string;
  answers: [Said, Said];
}

export type Outcome =
  | { result: 'equal' }
  | { result: 'differs'; at: string; answers: [Said, Said] }
  /** The reason says why no two answers could be compared. */
  | { result: 'not-checked'; reason: string };

/** An answer that hashing contradicts. */
export interface Fault {
  at: string;
  said: string;
  expected: string;
}

/** The outcome of a check by hashing. @param slot of the answer */
export function contradicted(by: Said['by'], slot: number | null, { at, said, expected }: Fault): Outcome {
  return {
    result: 'differs',
    at,
    answers: [
      { by, slot, answer: said },
      { by: 'hashing', slot: null, answer: expected },
    ],
  };
}

/** How many questions of a kind were asked. */
export interface Count {
  asked: number;
  differ: number;
  notChecked: number;
}

/** The result of a verification. */
export interface Verification {
  result: 'equal' | 'differs' | 'not-checked-enough';
  seed: number;
  /** Transactions of the index from whose accounts the questions follow. */
  samples: number;
  /** Whether these are all transactions of the index. */
  isComplete: boolean;
  isInterrupted: boolean;
  counts: Record<CheckKind, Count>;
  /** Lists that go on after the last page that was compared. */
  cutLists: number;
  /** The first ones; `counts` has how many there are. */
  differences: Difference[];
  /** Why questions could not be checked: the first ones. */
  notChecked: { kind: CheckKind; question: string; reason: string }[];
}

/** Bounds the memory and the length of the report. */
const MAX_LISTED = 1_000;
/** The part of the questions of a kind that may stay unchecked. */
const ACCEPTED_UNCHECKED = 0.05;

/** Counts outcomes, and keeps those that are reported. */
export class Tally {
  private readonly counts = Object.fromEntries(
    CHECK_KINDS.map((kind): [CheckKind, Count] => [kind, { asked: 0, differ: 0, notChecked: 0 }]),
  ) as Record<CheckKind, Count>;
  private readonly differences: Difference[] = [];
  private readonly notChecked: Verification['notChecked'] = [];
  samples = 0;
  cutLists = 0;

  add(kind: CheckKind, question: string, outcome: Outcome): void {
    const count = this.counts[kind];
    count.asked++;
    if (outcome.result === 'differs') {
      count.differ++;
      const { at, answers } = outcome;
      if (this.differences.length < MAX_LISTED) this.differences.push({ kind, question, at, answers });
    } else if (outcome.result === 'not-checked') {
      count.notChecked++;
      if (this.notChecked.length < MAX_LISTED) this.notChecked.push({ kind, question, reason: outcome.reason });
    }
  }

  /** The numbers of all kinds together. */
  get total(): Count {
    const sum = (of: keyof Count) => Object.values(this.counts).reduce((all, count) => all + count[of], 0);
    return { asked: sum('asked'), differ: sum('differ'), notChecked: sum('notChecked') };
  }

  /** The report of what was seen so far. */
  report(run: Pick<Verification, 'seed' | 'isComplete' | 'isInterrupted'>): Verification {
    const { counts, cutLists, differences, notChecked, samples } = this;
    const isEnough =
      !run.isInterrupted &&
      samples > 0 &&
      Object.values(counts).every((count) => count.notChecked <= count.asked * ACCEPTED_UNCHECKED);
    const result = this.total.differ > 0 ? 'differs' : isEnough ? 'equal' : 'not-checked-enough';
    return { result, ...run, samples, counts, cutLists, differences, notChecked };
  }
}
