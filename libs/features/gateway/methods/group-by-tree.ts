import { keyOf, type Pubkey } from '@fresnel/domain/primitives';

/** What a request asks of one tree, in the order of the request. */
export interface TreeGroup<Item> {
  tree: Pubkey;
  items: Item[];
}

/** Groups by tree: the prover is asked once for each. The groups are in the order of their first items. */
export function groupByTree<Item extends { tree: Pubkey }>(items: readonly Item[]): TreeGroup<Item>[] {
  const groups = new Map<string, TreeGroup<Item>>();
  for (const item of items) {
    const key = keyOf(item.tree);
    const group = groups.get(key) ?? { tree: item.tree, items: [] };
    group.items.push(item);
    groups.set(key, group);
  }
  return [...groups.values()];
}
