import { type Hash, parseHash, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { MAX_ADDRESS } from '@fresnel/domain/trees';
import { type AddressTree } from '../trees/address-tree';
import { type NewAddressProof, type NewAddressProofsAnswer } from './answers';
import { type LedgerRecords } from './ledger-records';

/** An address and an address tree, both in base58. */
export interface AddressWithTree {
  address: string;
  tree: string;
}

/** New-address proofs in the order of the requests, or the first error. */
export function answerNewAddresses(
  records: LedgerRecords,
  requests: readonly AddressWithTree[],
): NewAddressProofsAnswer {
  const outOfRange = requests.find(({ address }) => parseHash(address).compare(MAX_ADDRESS) >= 0);
  if (outOfRange) return { outcome: 'out-of-range', address: outOfRange.address };
  const proofs: NewAddressProof[] = [];
  for (const { address, tree: treeText } of requests) {
    const tree = records.addressTrees.find(({ info }) => info.tree.equals(parsePubkey(treeText)));
    if (!tree) return { outcome: 'unknown-tree', tree: treeText };
    if (isInUse(tree, parseHash(address))) return { outcome: 'exists', address };
    proofs.push(prove(tree, parseHash(address)));
  }
  return { outcome: 'proofs', context: { slot: records.slot }, value: proofs };
}

/** Only V2 trees expose their queue, so queued addresses of V1 trees count as new. */
function isInUse(tree: AddressTree, address: Hash): boolean {
  return tree.has(address) || (tree.info.type === 'addressV2' && tree.isQueued(address));
}

function prove(tree: AddressTree, address: Hash): NewAddressProof {
  const low = tree.lowElementOf(address);
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
