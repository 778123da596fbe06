export { InMemoryTreeJournal } from './in-memory.tree-journal';
export { InMemoryTreeStore } from './in-memory.tree-store';
export { PostgresTreeJournal } from './postgres.tree-journal';
export { type AppliedPartition, PostgresTreeReads } from './postgres.tree-reads';
export { emptiedTree, type RebuiltTree, rebuildTree, TreeNotRebuildableError } from './rebuild-tree';
export { TreeChangedError, replaceTree } from './replace-tree';
export { type TreeRepublication, TreeRepublications } from './tree-republications';
export { TreeMovedError, TreeStoreDamagedError, TreeStoreUnavailableError } from './tree-store.errors';
export { blockAt, type JournalEntry } from './journal-entry';
export { RedisProofStore } from './redis/redis.proof-store';
export {
  IN_PROCESS_LOG,
  type JournaledPartition,
  type JournaledTree,
  OtherLogError,
  toTreeLog,
  type TreeContents,
  type TreeJournal,
  type TreeLog,
} from './tree-journal';
export { PastTrees } from './trees-at-slot';
export { handOverTrees, startTreeGeneration } from './tree-log.statement';
export { ELEMENT_BYTES } from './tree-records';
export { TREE_SCRIPTS } from './redis/scripts';
export { createTreeRedis, type TreeRedisOptions } from './redis/redis-connection';
export { type TreeKeyspace } from './redis/keys';
export { RedisTreeStore } from './redis/redis.tree-store';
export { ReplicaProofStore } from './redis/replica.proof-store';
export {
  extendsQueuesOnly,
  type BlockAtSlot,
  type BlocksCommit,
  type EntryId,
  NO_QUEUE_CHANGES,
  type OpenTree,
  type PartitionState,
  PROOF_STORE,
  type ProofStore,
  type QueueCommit,
  type QueuedElements,
  type QueuedElementsRequest,
  type QueuePart,
  type QueueSelection,
  type RecentBlock,
  TREE_STORE,
  type TreeCommit,
  type TreeEntry,
  type TreeAtSlot,
  type TreeLeaves,
  type TreePartition,
  type TreeProof,
  type TreeProofs,
  type TreeReads,
  type TreeStore,
  type TreeStoreCommit,
} from './tree-store';
