export { TREE_HASHER, WorkerPool, type WorkerPoolOptions } from './worker-pool';
