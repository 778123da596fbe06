export {
  AddressTreeModel,
  poseidonInline,
  rootOfProof,
  siblingsOnPath,
  sha256,
  testAddress,
  testAddressTree,
  treeHasherOf,
} from './address-tree-model';
export { rememberedPoseidon } from './remembered-poseidon';
