export { InMemoryTreeStore } from './in-memory.tree-store';
export { PostgresTreeJournal } from './postgres.tree-journal';
export {
  TREE_STORE,
  type TreeCommit,
  type TreeProof,
  type TreeProofs,
  type TreeStore,
  type TreeStoreCommit,
} from './tree-store';
