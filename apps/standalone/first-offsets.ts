import { type ProjectionStore } from '@fresnel/adapters/store-write';
import { IN_PROCESS_LOG } from '@fresnel/adapters/tree-store';
import { PROJECTOR_GROUP, PROVER_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';

/** Offsets at which the topics of a new in-memory bus start: the stored positions of their consumers. */
export async function findFirstOffsets(
  store: Pick<ProjectionStore, 'findPosition'>,
): Promise<(topic: string) => bigint> {
  const projector = { consumerGroup: PROJECTOR_GROUP, topic: SLOT_EVENTS.name, partition: 0 };
  const prover = { consumerGroup: PROVER_GROUP, topic: IN_PROCESS_LOG.topic, partition: 0 };
  const offsets = new Map([
    [SLOT_EVENTS.name, await store.findPosition(projector)],
    [TREE_UPDATES.name, await store.findPosition(prover)],
  ]);
  return (topic) => offsets.get(topic) ?? 0n;
}
