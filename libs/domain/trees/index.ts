export {
  type AddressBatchChange,
  type AddressInsertChange,
  type AddressQueuedChange,
  type AddressTreeChange,
  type AddressUpdate,
} from './address-changes';
export {
  type LeafMigratedChange,
  type LeafQueuedChange,
  type LeafValue,
  type LeavesAppendedChange,
  type LeavesNullifiedChange,
  type NullifierQueuedChange,
  type QueuedNullifier,
  type StateBatchChange,
  type StateTreeChange,
} from './state-changes';
export {
  classifySequence,
  createTree,
  hasFirstOperation,
  hasMissingOperations,
  NO_CHANGES,
  queueStartOf,
  type SequenceOrder,
  type TreeHead,
  type UnservableReason,
  unservableReasonOf,
} from './tree';
export {
  highestPositions,
  isAddressTreeChange,
  lastSeqOf,
  NO_POSITIONS,
  positionsAfter,
  sizeOfChanges,
  type TreeChange,
  type TreePositions,
} from './tree-changes';
export { trustedInfo, markUntrusted } from './untrusted-observation';
export { type InitialState, initialLeaves, initialStateOf } from './initial-state';
export { hashElement, hashElements, type IndexedElement, isSameElement, MAX_ADDRESS } from './indexed-element';
export {
  LEVELS_PER_PAGE,
  NodePages,
  type NodePosition,
  PAGE_BYTES,
  type PageId,
  pageOf,
  pagesOnPath,
  pagesOnPaths,
} from './node-pages';
export { MerklePaths } from './merkle-paths';
export { type FindLow, InsertPlan } from './plan-inserts';
export { frontierOf, nodesOnPaths } from './queue-nodes';
export {
  compareWithHistory,
  parseTreeAccount,
  type RootComparison,
  TREE_DISCRIMINATORS,
  TREE_HEADER_BYTES,
  TREE_OWNER_OFFSET,
} from './tree-account.codec';
export {
  type AddressTreeInfo,
  type AddressTreeType,
  isAddressTree,
  requireTreeType,
  TREE_TYPES,
  type TreeInfo,
  type TreeObservation,
  type TreeType,
} from './tree-info';
export { parseNullifierQueue, parseOutputQueueEnd } from './queue-account.codec';
export { TreeMismatchError } from './tree-mismatch.error';
export {
  type ElementKey,
  type NullifiedEntry,
  isSameState,
  stateOf,
  revertLeaves,
  revertRecords,
  type TreeState,
  UNDO_DEPTH,
  UndoDraft,
  type UndoRecord,
} from './undo-record';
export { MAX_HEIGHT, zeroSubtrees } from './zero-subtrees';
