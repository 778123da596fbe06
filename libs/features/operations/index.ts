export { describeDeadLetters, type DeadLetterJson, toDeadLetterJson } from './describe-dead-letters';
export { describeRebuild } from './describe-rebuild';
export { describeStatus } from './describe-status';
export {
  type ConsumerStatus,
  type RefusedBlock,
  readStatus,
  type Status,
  type StatusSources,
  type TreeStatus,
} from './read-status';
export {
  rebuildQuarantinedTree,
  type RebuildSources,
  type TreeRebuild,
  TreeNotQuarantinedError,
  WrongAddressesError,
} from './rebuild-quarantined-tree';
export { describeEstimate, describeFinding, type FindingJson, toFindingJson } from './describe-history';
export { compareWithChain, type SnapshotComparison, type SnapshotNode } from './snapshot/compare-with-chain';
export { compareLoadedTrees } from './snapshot/compare-loaded-trees';
export { type MadeSnapshot, makeSnapshot } from './snapshot/make-snapshot';
export { serveSnapshot } from './snapshot/serve-snapshot';
export { verifySnapshot } from './snapshot/verify-snapshot';
export { estimateHistory, type HistoryEstimate } from './estimate-history';
export { type AskIndex } from './verify/ask-index';
export { describeVerification, toVerificationJson } from './verify/describe-verification';
export { NodeRoots } from './verify/node-roots';
export { type Verification } from './verify/verification';
export { type CheckedTree, type VerificationParts, verifyIndex } from './verify/verify-index';
