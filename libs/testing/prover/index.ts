export { TestProver, type TestProverOptions } from './test-prover';
export {
  contentsOfTrees,
  contentsWithoutForks,
  cutAt,
  expectValidProofs,
  expectValidProofsWhile,
} from './tree-contents';
