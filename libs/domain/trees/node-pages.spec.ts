import { type Hash, type Hasher } from '@fresnel/domain/primitives';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { NodePages, type PageId, pagesOnPath, pagesOnPaths } from './node-pages';
import { rootOfProof, treeHasherOf, siblingsOnPath } from '@fresnel/testing/address-trees';
import { poseidon } from '@fresnel/domain/poseidon';
import { zeroSubtrees } from './zero-subtrees';

/** A fast hash function. Any hash function is suitable to compare trees. */
const sha256: Hasher = (inputs) => createHash('sha256').update(Buffer.concat(inputs)).digest() as Hash;
const leafOf = (seed: number) => sha256([Buffer.from([seed])]);

describe('zeroSubtrees', () => {
  it('has the roots of the chain’s empty trees', () => {
    const roots = zeroSubtrees(poseidon).map((root) => root.toString('hex'));
    expect(roots).toHaveLength(41);
    expect(roots[1]).toBe('2098f5fb9e239eab3ceac3f27b81e481dc3124d55ffed523a839ee8446b64864');
    expect(roots[26]).toBe('120c58f143d491e95902f7f5277778a2e0ad5168f6add75669932630ce611518');
    expect(roots[32]).toBe('2f68a1c58e257e42a17a6c61dff5551ed560b9922ab119d5ac8e184c9734ead9');
    expect(roots[40]).toBe('1334fa4b552f00ef403361c935c1abcf896851003c40daa93bb0fd0a0bb9a881');
  });
});

describe('NodePages', () => {
  it('has the root and the proofs of a simple tree, for any batches', () => {
    const leaves = fc.dictionary(
      fc.integer({ min: 0, max: 2 ** 10 - 1 }).map(String),
      fc.integer({ min: 0, max: 255 }),
    );
    fc.assert(
      fc.property(fc.array(leaves, { maxLength: 4 }), fc.constantFrom(10, 11, 12, 13), (batches, height) => {
        const stored = new Map<PageId, Buffer>();
        const plain = new Map<number, Hash>();
        for (const batch of batches) {
          const written = new Map(Object.entries(batch).map(([index, seed]) => [Number(index), leafOf(seed)]));
          for (const [index, leaf] of written) plain.set(index, leaf);
          const pages = new NodePages((id) => stored.get(id), sha256);
          const root = pages.writeLeaves(written, height);
          for (const [id, page] of pages.changedPages()) stored.set(id, page);
          if (written.size > 0) expect(root).toEqual(rootOf(plain, height));
        }
        const root = rootOf(plain, height);
        const pages = new NodePages((id) => stored.get(id), sha256);
        for (const index of [0, 1, 1023, ...plain.keys()]) {
          const leaf = plain.get(index) ?? zeroSubtrees(sha256)[0];
          expect(rootOfProof(leaf, index, siblingsOnPath(pages, index, height), sha256)).toEqual(root);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has the same nodes if many leaves are hashed in batches', async () => {
    const indexes = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 13 - 1 }), { minLength: 0, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(indexes, fc.nat(255), fc.constantFrom(13, 26), async (indexes, seed, height) => {
        const leaves = new Map(indexes.map((index, at) => [index, leafOf((seed + at) % 256)]));
        const [plain, batched] = [new NodePages(() => undefined, sha256), new NodePages(() => undefined, sha256)];
        const root = plain.writeLeaves(leaves, height);
        expect(await batched.writeLeavesInBatches(leaves, height, treeHasherOf(sha256))).toEqual(root);
        expect(batched.changedPages()).toEqual(plain.changedPages());
      }),
      { numRuns: 30 },
    );
  });

  it('supports all leaf indexes of a tree with the maximum height', () => {
    const last = 2 ** 40 - 1;
    const pages = new NodePages(() => undefined, sha256);
    const root = pages.writeLeaves(new Map([[last, leafOf(1)]]), 40);
    expect(rootOfProof(leafOf(1), last, siblingsOnPath(pages, last, 40), sha256)).toEqual(root);
    expect(siblingsOnPath(pages, last, 40)).toEqual(zeroSubtrees(sha256).slice(0, 40));
  });

  it('reads only the pages on the path', () => {
    const height = 26;
    const leafIndex = 77_777;
    const read = new Set<PageId>();
    const pages = new NodePages((id) => void read.add(id), sha256);
    siblingsOnPath(pages, leafIndex, height);
    expect([...read].sort()).toEqual(pagesOnPath(leafIndex, height).sort());
    expect(read.size).toBe(7);
  });

  it('has each page of several paths once', () => {
    const leaves = fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 2 ** 25 - 1 })), { maxLength: 20 });
    fc.assert(
      fc.property(leaves, fc.constantFrom(26, 40), (leaves, height) => {
        const expected = new Set(leaves.flatMap((leaf) => pagesOnPath(leaf, height)));
        expect(pagesOnPaths(leaves, height).sort()).toEqual([...expected].sort());
      }),
    );
  });

  it('does not modify the given pages', () => {
    const first = new NodePages(() => undefined, sha256);
    first.writeLeaves(new Map([[0, leafOf(1)]]), 8);
    const stored = new Map([...first.changedPages()].map(([id, page]) => [id, Buffer.from(page)]));
    const second = new NodePages((id) => stored.get(id), sha256);
    second.writeLeaves(new Map([[1, leafOf(2)]]), 8);
    expect(stored).toEqual(new Map(first.changedPages()));
  });
});

function rootOf(leaves: Map<number, Hash>, height: number): Hash {
  const zeros = zeroSubtrees(sha256);
  let level = leaves;
  for (let at = 0; at < height; at++) {
    const above = new Map<number, Hash>();
    for (const index of level.keys()) {
      const parent = Math.floor(index / 2);
      const child = (side: number) => level.get(parent * 2 + side) ?? zeros[at];
      above.set(parent, sha256([child(0), child(1)]));
    }
    level = above;
  }
  return level.get(0) ?? zeros[height];
}
