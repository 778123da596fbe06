import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { contentsOfTrees, contentsWithoutForks, cutAt, expectValidProofs, TestProver } from '@fresnel/testing/prover';
import { ForkedTrees, sha256 } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { type TreeStore } from './tree-store';

const DEEPEST = 31;

const plan = fc.record({
  skipped: fc.nat({ max: 2 }),
  inserted: fc.nat({ max: 2 }),
  queued: fc.nat({ max: 3 }),
  batched: fc.nat({ max: 5 }),
});
const blocks = (maxLength: number, minLength = 0) => fc.array(plan, { minLength, maxLength });
const places = fc.array(fc.nat(), { maxLength: 12 });

/** A chain with some wrong turns, and late messages about them. */
const anyForkedTrees = fc
  .tuple(
    blocks(12),
    fc.array(fc.tuple(blocks(DEEPEST, 1), places, blocks(12, 1), places), { minLength: 1, maxLength: 3 }),
  )
  .map(([trunk, turns]) => {
    const chain = new ForkedTrees().extend(trunk);
    for (const [wrong, late, right, later] of turns)
      chain.appendOrphaned(wrong).repeat(late).extend(right).repeat(later);
    return chain;
  });

/** Sizes of batches; 1 now and then, and sometimes more than there is. */
const anyCuts = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 40 });

/** Reads until it is stopped. @returns how often */
async function readWhile(store: TreeStore, isGoing: () => boolean): Promise<number> {
  for (let count = 0; ; count++) {
    if (!isGoing()) return count;
    await expectValidProofs(store);
    await new Promise(setImmediate);
  }
}

/** How a prover that runs on a tree store follows a chain that leaves blocks. */
export function describeForkedTrees(
  name: string,
  openEmpty: () => Promise<TreeStore>,
  openReference: () => Promise<TreeStore>,
  { numRuns, partitionCount = 1 }: { numRuns: number; partitionCount?: number },
): void {
  describe(`a prover on ${name}, when the chain leaves up to ${DEEPEST} blocks,`, () => {
    const apply = async (store: TreeStore, batches: readonly TreeUpdatesMessage[][]) => {
      const prover = new TestProver(store, sha256, { partitionCount });
      for (const batch of batches) await prover.apply(batch);
      await prover.end();
    };

    it('ends where one ends that saw the surviving blocks only, however all is cut and repeated', async () => {
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

    it('proves to one root whatever happens meanwhile', async () => {
      await fc.assert(
        fc.asyncProperty(anyForkedTrees, anyCuts, async (chain, cuts) => {
          const store = await openEmpty();
          let isGoing = true;
          const reading = readWhile(store, () => isGoing);
          await apply(store, cutAt(chain.published, cuts)).finally(() => (isGoing = false));
          await reading;
        }),
        { numRuns: Math.ceil(numRuns / 4) },
      );
    });
  });
}
