import { type Level } from './run-level';
import { INGEST_LEVEL } from './ingest.level';
import { TREES_LEVEL } from './trees.level';

/** A run that has found a defect, shrunk. */
export interface Regression {
  level: Level;
  seed: number;
  /** The numbers of the faults that happen. */
  only: readonly number[];
  /** What is wrong without the mend. */
  found: string;
}

/**
 * The runs that tests repeat. A seed is another run once its world changes. Then these are renewed: without the mend, `npm run simulate`
 * finds a seed again, and prints its faults.
 */
const REGRESSIONS: readonly Regression[] = [
  {
    level: TREES_LEVEL,
    seed: 2,
    only: [0, 1, 3, 10, 27],
    found: 'a batch is repeated on a journal that has lost its first entries',
  },
  {
    level: TREES_LEVEL,
    seed: 5,
    only: [25, 26, 27, 30],
    found: 'a tree is served for the slot of a mark that names another entry of it',
  },
  {
    level: TREES_LEVEL,
    seed: 7,
    only: [2, 3, 5, 8, 9, 12, 13, 15, 17, 25, 27, 28, 29, 33, 34, 35],
    found: 'a load is finished after Redis has lost a part of it',
  },
  {
    level: TREES_LEVEL,
    seed: 31,
    only: [8, 9, 15, 16, 18, 19, 20, 21, 22, 23, 24, 28, 32, 33],
    found: 'a commit is computed from a tree that Redis has replaced meanwhile',
  },
  {
    level: TREES_LEVEL,
    seed: 1231,
    only: [4, 5, 6, 7, 8, 10, 11, 12, 17, 18, 19, 21, 22, 24, 26, 28, 30, 31, 35, 37],
    found: 'records count as repetitions, because Redis has a commit again that the journal has lost',
  },
  {
    level: INGEST_LEVEL,
    seed: 3,
    only: [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 28, 75, 76, 77, 79, 80, 82, 84, 85, 86],
    found: 'a prover applies the blocks of two branches',
  },
  {
    level: INGEST_LEVEL,
    seed: 16,
    only: [0, 3, 4, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 23, 25, 26, 27, 30, 31, 32, 34, 49, 54, 55, 96],
    found: 'trees have not the blocks of the index, and nobody compares them',
  },
  {
    level: INGEST_LEVEL,
    seed: 169,
    only: [
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 22, 23, 24, 25, 26, 27, 32, 33, 36, 37, 38, 39],
      ...[40, 41, 42, 43, 44, 45, 46, 47, 52, 53, 54, 55, 56, 57, 58, 59],
    ],
    found: 'only the trees that an orphaned block has changed revert the blocks after it',
  },
  {
    level: INGEST_LEVEL,
    seed: 870,
    only: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 27, 29],
    found: 'a proof is served from trees that lack the newest change of the index',
  },
  {
    level: INGEST_LEVEL,
    seed: 29185,
    only: [
      ...[0, 1, 2, 3, 4, 5, 7, 9, 10, 12, 13, 14, 15, 17, 18, 21, 22, 23, 25, 27, 28, 29, 30, 31, 32, 33, 34, 35, 37],
      ...[
        38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 50, 52, 53, 54, 56, 57, 58, 59, 68, 69, 72, 73, 74, 77, 79, 81, 82, 83,
        84,
      ],
      ...[85, 90, 91, 103, 104, 105, 106, 107, 108, 120, 121],
    ],
    found: 'the blocks after a fork point are published again, and trees have refused one before it',
  },
];

export function regressionsOf(level: Level): Regression[] {
  return REGRESSIONS.filter((one) => one.level === level);
}
