export { SLOT_EVENTS, type SlotEventsMessage } from './slot-events.topic';
export { type Topic } from './topic';
export { TREE_UPDATES, type TreeUpdatesMessage } from './tree-updates.topic';
export { StalePositionError, type TakenPosition } from './position';
