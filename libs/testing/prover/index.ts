export { TestProver, type TestProverOptions } from './test-prover';
export { contentsOfTrees, contentsWithoutForks, cutAt, expectTrueProofs } from './tree-contents';
