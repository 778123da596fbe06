import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import {
  contentsOfTrees,
  contentsWithoutForks,
  cutAt,
  expectValidProofs,
  expectValidProofsWhile,
  TestProver,
} from '@fresnel/testing/prover';
import { ForkedTrees, sha256 } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { type TreeStore } from './tree-store';

const MAX_DEPTH = 31;

const plan = fc.record({
  skipped: fc.nat({ max: 2 }),
  inserted: fc.nat({ max: 2 }),
  queued: fc.nat({ max: 3 }),
  batched: fc.nat({ max: 5 }),
});
const blocks = (maxLength: number, minLength = 0) => fc.array(plan, { minLength, maxLength });
const positions = fc.array(fc.nat(), { maxLength: 12 });

/** A chain with some orphaned branches, and duplicate records of them. */
const anyForkedTrees = fc
  .tuple(
    blocks(12),
    fc.array(fc.tuple(blocks(MAX_DEPTH, 1), positions, blocks(12, 1), positions), { minLength: 1, maxLength: 3 }),
  )
  .map(([trunk, forks]) => {
    const chain = new ForkedTrees().extend(trunk);
    for (const [orphaned, duplicates, canonical, laterDuplicates] of forks)
      chain.appendOrphaned(orphaned).repeat(duplicates).extend(canonical).repeat(laterDuplicates);
    return chain;
  });

/** Sizes of batches, sometimes 1 and sometimes more than there are records. */
const anyCuts = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 40 });

/** The suite for a prover on a tree store that follows forks. */
export function describeForkedTrees(
  name: string,
  openEmpty: () => Promise<TreeStore>,
  openReference: () => Promise<TreeStore>,
  { numRuns, partitionCount = 1 }: { numRuns: number; partitionCount?: number },
): void {
  describe(`a prover on ${name}, with forks of up to ${MAX_DEPTH} blocks,`, () => {
    const apply = async (store: TreeStore, batches: readonly TreeUpdatesMessage[][]) => {
      const prover = new TestProver(store, sha256, { partitionCount });
      for (const batch of batches) await prover.apply(batch);
      await prover.end();
    };

    it('has the same contents as without forks, for any batches and duplicates', async () => {
      await fc.assert(
        fc.asyncProperty(anyForkedTrees, anyCuts, async (chain, cuts) => {
          const expected = await contentsWithoutForks(chain, await openReference());
          const store = await openEmpty();
          await apply(store, cutAt(chain.published, cuts));
          expect(await contentsOfTrees(store)).toEqual(expected);
          await expectValidProofs(store);
        }),
        { numRuns },
      );
    });

    it('returns consistent proofs at all times', async () => {
      await fc.assert(
        fc.asyncProperty(anyForkedTrees, anyCuts, async (chain, cuts) => {
          const store = await openEmpty();
          let isRunning = true;
          const reading = expectValidProofsWhile(store, () => isRunning);
          await apply(store, cutAt(chain.published, cuts)).finally(() => (isRunning = false));
          await reading;
        }),
        { numRuns: Math.ceil(numRuns / 4) },
      );
    });
  });
}
