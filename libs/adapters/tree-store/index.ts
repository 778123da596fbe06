export { InMemoryTreeStore } from './in-memory.tree-store';
export { PostgresTreeJournal } from './postgres.tree-journal';
export { PostgresTreeReads } from './postgres.tree-reads';
export { TreeMovedError } from './queued-elements';
export { emptiedTree, type RebuiltTree, rebuildTree, TreeNotRebuildableError } from './rebuild-tree';
export { TreeChangedError, replaceTree } from './replace-tree';
export { type TreeRepublication, TreeRepublications } from './tree-republications';
export { TreeStoreDamagedError, TreeStoreUnavailableError } from './redis/errors';
export { createTreeRedis, type TreeRedisOptions } from './redis/redis-connection';
export { type TreeKeyspace } from './redis/keys';
export { RedisTreeStore } from './redis/redis.tree-store';
export { ReplicaProofStore } from './redis/replica.proof-store';
export {
  type BlocksCommit,
  NO_QUEUE_CHANGES,
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
  type TreeLeaf,
  type TreeAtSlot,
  type TreeLeaves,
  type TreeProof,
  type TreeProofs,
  type TreeReads,
  type TreeStore,
  type TreeStoreCommit,
} from './tree-store';
