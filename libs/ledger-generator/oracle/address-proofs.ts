import { type Hash, parseHash, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { MAX_ADDRESS } from '@fresnel/domain/trees';
import { type AddressTree } from '../trees/address-tree';
import { type NewAddressProof, type NewAddressProofsAnswer } from './answers';
import { type LedgerRecords } from './ledger-records';

/** An address and the tree that it is to be new in. Base58. */
export interface AddressQuestion {
  address: string;
  tree: string;
}

/** Proofs in the order of the questions, or the first reason not to give any. */
export function answerNewAddresses(
  records: LedgerRecords,
  questions: readonly AddressQuestion[],
): NewAddressProofsAnswer {
  const outOfRange = questions.find(({ address }) => parseHash(address).compare(MAX_ADDRESS) >= 0);
  if (outOfRange) return { outcome: 'out-of-range', address: outOfRange.address };
  const proofs: NewAddressProof[] = [];
  for (const { address, tree: treeText } of questions) {
    const tree = records.addressTrees.find(({ info }) => info.tree.equals(parsePubkey(treeText)));
    if (!tree) return { outcome: 'unknown-tree', tree: treeText };
    if (isTaken(tree, parseHash(address))) return { outcome: 'exists', address };
    proofs.push(prove(tree, parseHash(address)));
  }
  return { outcome: 'proofs', context: { slot: records.slot }, value: proofs };
}

/** Nobody can see which addresses wait for a V1 tree. */
function isTaken(tree: AddressTree, address: Hash): boolean {
  return tree.has(address) || (tree.info.type === 'addressV2' && tree.isQueued(address));
}

function prove(tree: AddressTree, address: Hash): NewAddressProof {
  const low = tree.lowOf(address);
  return {
    address: toBase58(address),
    lowerRangeAddress: toBase58(low.value),
    higherRangeAddress: toBase58(low.nextValue),
    lowElementLeafIndex: low.index,
    nextIndex: low.nextIndex,
    merkleTree: toBase58(tree.info.tree),
    proof: tree.nodes.proof(low.index).map(toBase58),
    root: toBase58(tree.nodes.root()),
    rootSeq: tree.seq,
  };
}
