export { type ClaimedPosition, FencedError } from './claimed-position';
export { FIRST_GENERATION, GENERATION_HEADER, KIND_HEADER, VERSION_HEADER } from './headers';
export { type PublishedSlot, type SlotEventsMessage } from './slot-events.message';
export { PROJECTOR_GROUP, SLOT_EVENTS } from './slot-events.topic';
export { type SlotAdopted } from './slot-adopted';
export { type SlotReverted } from './slot-reverted';
export { type MessageCodec, type Topic } from './topic';
export {
  type NamedBranch,
  type PublishedUpdate,
  type TreeUpdatesMessage,
  type Watermark,
} from './tree-updates.message';
export { partitionOfTree, PROVER_GROUP, TREE_UPDATES, WATERMARK_SLOTS } from './tree-updates.topic';
export { UnreadableMessageError } from './unreadable-message.error';
