export {
  type AddressBatchChange,
  type AddressInsertChange,
  type AddressQueuedChange,
  type AddressTreeChange,
  type AddressTreeHead,
  type AddressTreeInfo,
  type AddressUpdate,
  changedElements,
  createAddressTree,
  hasMissingOperations,
  type UnservableReason,
  unservableReasonOf,
  type SequenceOrder,
  classifySequence,
  NO_CHANGES,
} from './address-tree';
export { trustedInfo, markUntrusted } from './untrusted-observation';
export { type InitialState, initialLeaves, initialStateOf } from './initial-state';
export { hashElement, hashElements, type IndexedElement, isSameElement, MAX_ADDRESS } from './indexed-element';
export {
  LEVELS_PER_PAGE,
  NodePages,
  type NodePosition,
  PAGE_BYTES,
  type PageId,
  pageIdOf,
  pageOf,
  pagePlace,
  pagesOnPath,
  pagesOnPaths,
} from './node-pages';
export { type FindLow, InsertPlan } from './plan-inserts';
export {
  compareWithHistory,
  parseTreeAccount,
  type RootComparison,
  TREE_DISCRIMINATORS,
  TREE_HEADER_BYTES,
  TREE_OWNER_OFFSET,
} from './tree-account.codec';
export {
  type AddressTreeType,
  isAddressTree,
  requireTreeType,
  TREE_TYPES,
  type TreeInfo,
  type TreeObservation,
  type TreeType,
  treeTypeOf,
} from './tree-info';
export { TreeMismatchError } from './tree-mismatch.error';
export {
  type ElementKey,
  isSameState,
  stateOf,
  revertRecords,
  type TreeState,
  UNDO_DEPTH,
  UndoDraft,
  type UndoRecord,
} from './undo-record';
export { MAX_HEIGHT, zeroSubtrees } from './zero-subtrees';
