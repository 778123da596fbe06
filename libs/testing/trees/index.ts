export {
  AddressTreeModel,
  poseidonInline,
  rememberedPoseidon,
  rootOfProof,
  siblingsOnPath,
  sha256,
  testAddress,
  testAddressTree,
  treeHasherOf,
} from '@fresnel/testing/address-trees';
export { fillJournal } from './fill-journal';
export { fillRedis } from './fill-redis';
export { type BlockPlan, ForkedTrees } from './forked-trees';
export { GrowingTree } from './growing-tree';
export { invalidProofs } from './invalid-proofs';
export { journaledStore } from './journaled-store';
export {
  commitNext,
  commitOf,
  commitTo,
  filledTree,
  headsOf,
  type NextCommit,
  numbers,
  offsetOf,
  TestTreeStore,
  testAddresses,
  type TreeStoreUnderTest,
  V1,
  V2,
} from './tree-store-under-test';
export { v1Updates } from './v1-updates';
export { StateTreeModel, testStateTree } from './state-tree-model';
