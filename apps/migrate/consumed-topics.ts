import { type ConsumedTopic } from '@fresnel/adapters/bus';
import { PROJECTOR_GROUP, PROVER_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';

/** The topics of a deployment. */
export const CONSUMED_TOPICS: readonly ConsumedTopic[] = [
  { topic: SLOT_EVENTS, group: PROJECTOR_GROUP },
  { topic: TREE_UPDATES, group: PROVER_GROUP },
];
