import { sha256 } from '@fresnel/testing/trees';
import { describeForkedTrees } from './forked-trees.contract';
import { InMemoryTreeStore } from './in-memory.tree-store';

const open = () => InMemoryTreeStore.open(sha256, null);

describeForkedTrees('a store in memory', open, open, { numRuns: 12 });
