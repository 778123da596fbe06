export { KIND_HEADER, VERSION_HEADER } from './headers';
export { PROJECTOR_GROUP, SLOT_EVENTS, type SlotEventsMessage } from './slot-events.topic';
export { type SlotReverted } from './slot-reverted';
export { type MessageCodec, type Topic } from './topic';
export {
  partitionOfTree,
  PROVER_GROUP,
  type SlotReached,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from './tree-updates.topic';
export { StalePositionError, type TakenPosition } from './position';
export { UnreadableMessageError } from './unreadable-message.error';
