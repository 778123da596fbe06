export { AddressTreeModel, rootOfProof, sha256, testAddress, testAddressTree } from './address-tree-model';
