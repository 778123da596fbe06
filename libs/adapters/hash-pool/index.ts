export { HashPool, type HashPoolOptions, TREE_HASHER } from './hash-pool';
