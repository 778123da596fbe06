import { be32, toBase58 } from '@fresnel/domain/primitives';
import { type AddressWithTree, generatedTrees, type LedgerOracle } from '@fresnel/ledger-generator';

/** Hashes of the unspent accounts of a ledger. */
export interface ProvableAccounts {
  /** In output queues of V2 trees. */
  queued: string[];
  /** Those whose leaves are in trees, by version. */
  inTrees: Record<1 | 2, string[]>;
}

/** Groups the unspent accounts by how they are proven. */
export function findProvableAccounts(oracle: LedgerOracle): ProvableAccounts {
  const found: ProvableAccounts = { queued: [], inTrees: { 1: [], 2: [] } };
  const answer = oracle.getMultipleCompressedAccountProofsV2(oracle.liveAccounts());
  if (answer.outcome !== 'proofs') throw new Error('the oracle refuses the proof of an unspent account');
  for (const { hash, proveByIndex, treeContext } of answer.value) {
    // Types of V1 trees are 1 and 2.
    const list = proveByIndex ? found.queued : found.inTrees[treeContext.treeType <= 2 ? 1 : 2];
    list.push(hash);
  }
  return found;
}

/** Addresses that no transaction inserts, with the tree of a version. */
export function newAddressesFor(version: 1 | 2, count: number): AddressWithTree[] {
  const tree = generatedTrees().find(({ type }) => type === `addressV${version}`);
  if (!tree) throw new Error('there is no address tree');
  const step = (2n ** 248n - 1n) / BigInt(count + 1);
  return Array.from({ length: count }, (_, at) => ({
    address: toBase58(be32(step * BigInt(at + 1))),
    tree: toBase58(tree.tree),
  }));
}
