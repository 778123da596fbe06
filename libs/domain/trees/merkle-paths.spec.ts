import { siblingsOnPath } from '@fresnel/testing/address-trees';
import { createHash } from 'node:crypto';
import { type Hash, HASH_BYTES, type Hasher, MalformedBytesError } from '@fresnel/domain/primitives';
import fc from 'fast-check';
import { MerklePaths } from './merkle-paths';
import { NodePages } from './node-pages';

const sha256: Hasher = (inputs) => createHash('sha256').update(Buffer.concat(inputs)).digest() as Hash;

/** A tree with a leaf at each of the indices. */
function treeWith(indices: readonly number[], height: number): NodePages {
  const pages = new NodePages(() => undefined, sha256);
  pages.writeLeaves(new Map(indices.map((index) => [index, sha256([Buffer.from(String(index))])])), height);
  return pages;
}

describe('Merkle paths of several leaves', () => {
  it('are the paths of each leaf, also of empty leaves', () => {
    const index = fc.integer({ min: 0, max: 2 ** 13 - 1 });
    fc.assert(
      fc.property(
        fc.array(index, { maxLength: 50 }),
        fc.array(index, { maxLength: 50 }),
        fc.constantFrom(13, 26, 40),
        (filled, proven, height) => {
          const pages = treeWith(filled, height);
          const paths = MerklePaths.read(pages, proven, height);
          const expected = proven.map((index) => siblingsOnPath(pages, index, height));
          expect(proven.map((_, at) => paths.siblings(at))).toEqual(expected);
          expect(MerklePaths.of(proven, height, paths.nodes)).toEqual(paths);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('have each node once, by level, in the order of the nodes whose siblings they are', () => {
    const pages = treeWith([0, 1, 2, 3, 4, 5, 6, 7], 3);
    const node = (level: number, index: number) => pages.node({ level, index });
    const { nodes } = MerklePaths.read(pages, [5, 0, 4, 0], 3);
    const expected = [node(0, 1), node(0, 5), node(0, 4), node(1, 1), node(1, 3), node(2, 1), node(2, 0)];
    expect(nodes).toEqual(Buffer.concat(expected));
  });

  it('reach the last leaf of the tallest tree', () => {
    const pages = treeWith([2 ** 40 - 1], 40);
    const paths = MerklePaths.read(pages, [2 ** 40 - 2, 2 ** 40 - 1], 40);
    expect(paths.siblings(0)).toEqual(siblingsOnPath(pages, 2 ** 40 - 2, 40));
    expect(paths.nodes).toHaveLength((40 + 1) * HASH_BYTES);
  });

  it.each([
    ['fewer nodes', [0, 1], 3, 3 * HASH_BYTES],
    ['more nodes', [0, 1], 3, 5 * HASH_BYTES],
    ['a part of a node', [0, 1], 3, 4 * HASH_BYTES + 1],
    ['a height that no memory could hold', [0, 1], 2 ** 32 - 1, 4 * HASH_BYTES],
    ['nodes without leaves', [], 3, HASH_BYTES],
  ])('are not made of %s', (_, leafIndices, height, bytes) => {
    expect(() => MerklePaths.of(leafIndices, height, Buffer.alloc(bytes))).toThrow(MalformedBytesError);
  });
});
