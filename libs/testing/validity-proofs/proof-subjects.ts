import { be32, toBase58 } from '@fresnel/domain/primitives';
import { type AddressWithTree, generatedTrees, type LedgerOracle } from '@fresnel/ledger-generator';

/** What validity proofs of a generated ledger are requested for. Each list has different accounts or addresses. */
export class ProofSubjects {
  private readonly queued: string[] = [];
  private readonly inTrees: Record<1 | 2, string[]> = { 1: [], 2: [] };

  constructor(oracle: LedgerOracle) {
    for (const hash of oracle.liveAccounts()) {
      const answer = oracle.getMultipleCompressedAccountProofsV2([hash]);
      if (answer.outcome !== 'proofs') throw new Error('the oracle refuses the proof of an account');
      const [{ proveByIndex, treeContext }] = answer.value;
      (proveByIndex ? this.queued : this.inTrees[versionOf(treeContext.treeType)]).push(hash);
    }
  }

  /** Accounts whose leaves are in trees, of several trees if there are as many. */
  accountsInTrees(version: 1 | 2, count: number): string[] {
    return spread(this.inTrees[version], count);
  }

  /** Accounts in the output queues of V2 trees. */
  queuedAccounts(count: number): string[] {
    return spread(this.queued, count);
  }

  /** Addresses that no transaction inserts. */
  newAddresses(version: 1 | 2, count: number): AddressWithTree[] {
    const tree = generatedTrees().find(({ type }) => type === (version === 1 ? 'addressV1' : 'addressV2'));
    if (!tree) throw new Error('there is no address tree');
    const step = (2n ** 248n - 1n) / BigInt(count + 1);
    return Array.from({ length: count }, (_, at) => ({
      address: toBase58(be32(step * BigInt(at + 1))),
      tree: toBase58(tree.tree),
    }));
  }
}

/** Types of V1 trees are 1 and 2. */
function versionOf(treeType: number): 1 | 2 {
  return treeType <= 2 ? 1 : 2;
}

/** Items from the whole list, evenly spaced. */
function spread(all: readonly string[], count: number): string[] {
  if (all.length < count) throw new Error(`the ledger has only ${all.length} such accounts`);
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]);
}
