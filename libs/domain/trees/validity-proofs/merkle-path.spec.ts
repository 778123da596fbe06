import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import { be32, type Hash } from '@fresnel/domain/primitives';
import { rootsOfPaths } from './merkle-path';

const hash = (...inputs: Hash[]) => poseidon(inputs);

describe('rootsOfPaths', () => {
  const [a, b, c, d] = [be32(1), be32(2), be32(3), be32(4)];
  const root = hash(hash(a, b), hash(c, d));
  const paths = [
    { leafIndex: 0, leaf: a, siblings: [b, hash(c, d)] },
    { leafIndex: 1, leaf: b, siblings: [a, hash(c, d)] },
    { leafIndex: 2, leaf: c, siblings: [d, hash(a, b)] },
    { leafIndex: 3, leaf: d, siblings: [c, hash(a, b)] },
  ];

  it.each(paths)('leads from leaf $leafIndex to the root of the tree, and from no other place', (path) => {
    expect(rootsOfPaths([path], poseidonBatch)).toEqual([root]);
    expect(rootsOfPaths([{ ...path, leafIndex: path.leafIndex ^ 1 }], poseidonBatch)).not.toEqual([root]);
  });

  it('hashes nodes that paths share once', () => {
    const hashBatch = jest.fn(poseidonBatch);
    expect(rootsOfPaths([...paths, paths[0]], hashBatch)).toEqual([root, root, root, root, root]);
    expect(hashBatch.mock.calls.map(([, pairs]) => pairs.length / 64)).toEqual([2, 1]);
  });

  it('leads to different roots if nodes of the same place differ', () => {
    const wrong = { leafIndex: 1, leaf: b, siblings: [c, hash(c, d)] };
    const other = { leafIndex: 0, leaf: d, siblings: [c] };
    const roots = [root, hash(hash(c, b), hash(c, d)), hash(d, c), root];
    expect(rootsOfPaths([paths[0], wrong, other, paths[3]], poseidonBatch)).toEqual(roots);
    expect(rootsOfPaths([other, wrong, paths[2]], poseidonBatch)).toEqual([roots[2], roots[1], root]);
  });

  it('leads to the root from a leaf index of more than 32 bits', () => {
    const leafIndex = 2 ** 39 + 1;
    const siblings = Array.from({ length: 40 }, (_, at) => be32(at + 100));
    let node = hash(siblings[0], a);
    for (const sibling of siblings.slice(1, 39)) node = hash(node, sibling);
    expect(rootsOfPaths([{ leaf: a, leafIndex, siblings }], poseidonBatch)).toEqual([hash(siblings[39], node)]);
  });

  it('gives no roots for no paths', () => {
    expect(rootsOfPaths([], poseidonBatch)).toEqual([]);
  });
});
