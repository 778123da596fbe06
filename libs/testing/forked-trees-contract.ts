import { type TreeStore } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { be32, type Hash } from '@fresnel/domain/primitives';
import { hashElement, type IndexedElement, NodePages, pagesOnPath } from '@fresnel/domain/trees';
import fc from 'fast-check';
import { rootOfProof, sha256, testAddress, testAddressTree } from './address-tree-model';
import { ForkedTrees } from './forked-trees';
import { toPlainMessage } from './plain-message';
import { TestProver } from './test-prover';

const TREES = [testAddressTree('addressV1'), testAddressTree('addressV2')];
const ADDRESSES = Array.from({ length: 400 }, (_, number) => testAddress(number));
const LEAVES = 300;
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
    for (const [wrong, late, right, later] of turns) chain.stray(wrong).repeat(late).extend(right).repeat(later);
    return chain;
  });

/** Sizes of batches; 1 now and then, and sometimes more than there is. */
const anyCuts = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 40 });

/** Everything that a store holds of the trees, but for what it only remembers of forks, in values that print well. */
export async function contentsOfTrees(store: TreeStore): Promise<unknown> {
  const trees = TREES.map(async ({ tree, height }) => {
    const head = await store.findHead(tree);
    const ids = new Set(Array.from({ length: LEAVES }, (_, leaf) => pagesOnPath(leaf, height)).flat());
    const pages = await store.readPages(tree, [...ids]);
    const nodes = new NodePages((id) => pages.get(id), sha256);
    const hashes = Array.from({ length: LEAVES }, (_, leaf) => nodes.siblings(leaf, height)).flat();
    const proofs = await store.readProofs(tree, ADDRESSES);
    return {
      head: head && { ...head, doubted: null },
      slot: await store.findTreeSlot(tree),
      nodes: sha256(hashes),
      lows: digestOf(await store.findLowElements(tree, ADDRESSES)),
      proven: digestOf(proofs?.items.map(({ low }) => low) ?? []),
      taken: proofs?.items.map(({ isTaken }) => (isTaken ? 'x' : '.')).join(''),
      queue: [...(await store.readQueue(tree, 0n, BigInt(LEAVES)))],
    };
  });
  return toPlainMessage({ slot: await store.findSlot(), trees: await Promise.all(trees) });
}

function digestOf(elements: readonly (IndexedElement | undefined)[]): Hash {
  const parts = elements.map((one) => (one ? [be32(one.index), one.value, be32(one.nextIndex), one.nextValue] : []));
  return sha256(parts.flat());
}

/** What the store of a prover holds that was told the surviving blocks only, in one go. */
export async function contentsWithoutForks(chain: ForkedTrees, store: TreeStore): Promise<unknown> {
  const prover = new TestProver(store, sha256);
  await prover.apply(chain.kept);
  await prover.end();
  return contentsOfTrees(store);
}

/** Cuts messages into batches. */
export function cutAt<Item>(items: readonly Item[], sizes: readonly number[]): Item[][] {
  const batches: Item[][] = [];
  for (let from = 0; from < items.length;) {
    const size = sizes[batches.length % sizes.length];
    batches.push(items.slice(from, from + size));
    from += size;
  }
  return batches;
}

/** Every proof folds to the root that it comes with. */
export async function expectTrueProofs(store: TreeStore): Promise<void> {
  for (const { tree, type } of TREES) {
    const proofs = await store.readProofs(tree, ADDRESSES.slice(0, 30));
    for (const { low, siblings } of proofs?.items ?? []) {
      const leaf = low && hashElement(type, low, sha256);
      expect(leaf && rootOfProof(leaf, low.index, siblings, sha256)).toEqual(proofs?.head.root);
    }
  }
}

/** Reads until it is told to stop. @returns how often */
async function readWhile(store: TreeStore, isGoing: () => boolean): Promise<number> {
  for (let count = 0; ; count++) {
    if (!isGoing()) return count;
    await expectTrueProofs(store);
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
          await apply(store, cutAt(chain.told, cuts));
          expect(await contentsOfTrees(store)).toEqual(expected);
          await expectTrueProofs(store);
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
          await apply(store, cutAt(chain.told, cuts)).finally(() => (isGoing = false));
          await reading;
        }),
        { numRuns: Math.ceil(numRuns / 4) },
      );
    });
  });
}
