import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { describeForkedTrees, sha256 } from '@fresnel/testing';

const open = () => InMemoryTreeStore.open(sha256, null);

describeForkedTrees('a store in memory', open, open, { numRuns: 40 });
