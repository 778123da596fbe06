import { type TreeStore } from '@fresnel/adapters/tree-store';
import { be32, type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement, LEVELS_PER_PAGE, pageOf, pagesOnPaths, zeroSubtrees } from '@fresnel/domain/trees';
import { toPlainMessage } from '@fresnel/testing/generic';
import { type ForkedTrees, sha256, testAddress, testAddressTree, invalidProofs } from '@fresnel/testing/trees';
import { TestProver } from './test-prover';

const TREES = [testAddressTree('addressV1'), testAddressTree('addressV2')];
const ADDRESSES = Array.from({ length: 400 }, (_, number) => testAddress(number));
/** Proofs are compared for a part of the addresses: elements and nodes are compared for all. */
const PROVEN = ADDRESSES.filter((_, at) => at % 4 === 0);
const LEAVES = 300;
/** Ids of pages start with their group of levels. */
const FIRST_OF_GROUP_1 = pageOf({ level: LEVELS_PER_PAGE, index: 0 });

/** The contents of a tree store, without its memory of forks, as plain values. */
export async function contentsOfTrees(store: TreeStore): Promise<unknown> {
  const trees = TREES.map(async ({ tree, height }) => {
    const opened = await store.openTree(tree);
    const { head } = opened;
    const ids = pagesOnPaths(Array(LEAVES).keys(), height);
    const pages = await opened.readPages(ids);
    const proofs = await store.readProofs(tree, PROVEN);
    return {
      head: head && { ...head, untrusted: null },
      slot: await store.findTreeSlot(tree),
      nodes: sha256(ids.map((id) => pages.get(id) ?? emptyPage(Math.floor(id / FIRST_OF_GROUP_1)))),
      lows: digestOf(await opened.findLowElements(ADDRESSES)),
      proven: digestOf(proofs?.items.map(({ low }) => low) ?? []),
      exists: proofs?.items.map(({ exists }) => (exists ? 'x' : '.')).join(''),
      queue: [...(await opened.readQueue(0n, BigInt(LEAVES)))],
    };
  });
  return toPlainMessage({ slot: await store.findSlot(), trees: await Promise.all(trees) });
}

const emptyPages = new Map<number, Buffer>();

/** A page of zero subtrees. A store may have it or not. */
function emptyPage(group: number): Buffer {
  const known = emptyPages.get(group);
  if (known) return known;
  const zeros = zeroSubtrees(sha256);
  const rows = Array.from({ length: LEVELS_PER_PAGE }, (_, row) => {
    const nodes = 2 ** (LEVELS_PER_PAGE - row);
    return Array<Buffer>(nodes).fill(zeros[group * LEVELS_PER_PAGE + row]);
  });
  const page = Buffer.concat(rows.flat());
  emptyPages.set(group, page);
  return page;
}

function digestOf(elements: readonly (IndexedElement | undefined)[]): Hash {
  const parts = elements.map((one) => (one ? [be32(one.index), one.value, be32(one.nextIndex), one.nextValue] : []));
  return sha256(parts.flat());
}

/** The contents of a store after a prover received only the canonical blocks, in one batch. */
export async function contentsWithoutForks(chain: ForkedTrees, store: TreeStore): Promise<unknown> {
  const prover = new TestProver(store, sha256);
  await prover.apply(chain.canonical);
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

/** Checks that every proof hashes up to the root that was read with it. */
export async function expectValidProofs(store: TreeStore, addresses = ADDRESSES.slice(0, 30)): Promise<void> {
  for (const { tree } of TREES) {
    const proofs = await store.readProofs(tree, addresses);
    expect(proofs ? invalidProofs(proofs) : []).toEqual([]);
  }
}

/** Checks proofs of a few addresses at a time until `isRunning` returns false. */
export async function expectValidProofsWhile(store: TreeStore, isRunning: () => boolean): Promise<void> {
  for (let round = 0; isRunning(); round = (round + 1) % 10) {
    await expectValidProofs(store, ADDRESSES.slice(3 * round, 3 * round + 3));
    await new Promise(setImmediate);
  }
}
