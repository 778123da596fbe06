import { toPubkey } from '@fresnel/domain/primitives';
import { groupByTree } from './group-by-tree';

const tree = (seed: number) => toPubkey(Buffer.alloc(32, seed));

it('groups by the bytes of a tree, in the order of the request', () => {
  const items = [2, 1, 2].map((seed, at) => ({ tree: tree(seed), at }));
  expect(groupByTree(items)).toEqual([
    { tree: tree(2), items: [items[0], items[2]] },
    { tree: tree(1), items: [items[1]] },
  ]);
  expect(groupByTree([])).toEqual([]);
});
