import { type ProjectionStore } from '@fresnel/adapters/store-write';
import { type TreeStore } from '@fresnel/adapters/tree-store';
import { PROJECTOR_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';

/** Offsets at which the topics of a new in-memory bus start: the stored positions of their consumers. */
export async function findFirstOffsets(
  store: ProjectionStore,
  trees: Pick<TreeStore, 'findPosition'>,
): Promise<(topic: string) => bigint> {
  const position = { consumerGroup: PROJECTOR_GROUP, topic: SLOT_EVENTS.name, partition: 0 };
  const offsets = new Map([
    [SLOT_EVENTS.name, await store.findPosition(position)],
    [TREE_UPDATES.name, await trees.findPosition(0)],
  ]);
  return (topic) => offsets.get(topic) ?? 0n;
}
