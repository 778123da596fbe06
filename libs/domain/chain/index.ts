export {
  blockKey,
  blockKeyBytes,
  type BlockLink,
  blockLinkOf,
  type BlockRef,
  blockRefOf,
  isChildOf,
  isSameBlock,
  parentOf,
} from './block-ref';
export { Branch } from './branch';
export { COMMITMENTS, type Commitment } from './commitment';
export { MAX_FORK_DEPTH } from './fork-depth';
export { type AttestedRange, isAnchor, isAttested, isSparse, sparseBlock } from './sparse-block';
export { FINDING_REASONS, type FindingReason, type HistoryFinding } from './history-finding';
