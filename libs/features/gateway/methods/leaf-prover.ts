import { ProverOnBranch } from './prover-on-branch';
import { findIndexedSlot, findLeafPlaces, type LeafPlace, type ProofSlots, Reader } from '@fresnel/adapters/store-read';
import { type Hash, toBase58 } from '@fresnel/domain/primitives';
import { Injectable } from '@nestjs/common';
import { type LeafPath, type ProvenLeaf } from '../present/account-proof.presenter';
import { CallStateError } from '../responses/call-state.error';
import { groupByTree } from './group-by-tree';
import { type CallContext } from './rpc-method';

export interface ProvenLeaves {
  /** The slot at which all paths are true: the lowest of the trees involved, and not below the indexed slot. */
  slot: number;
  /** In the order of the request. */
  items: ProvenLeaf[];
}

/** Proves that accounts are leaves of state trees: one request to the prover for each tree. */
@Injectable()
export class LeafProver {
  constructor(
    private readonly prover: ProverOnBranch,
    private readonly reader: Reader,
  ) {}

  /**
   * Asks the prover for trees with all changes up to the indexed slot. A prover that is ahead of the tables may have
   * nullified a leaf: then the tables are read once more.
   *
   * @param hashes duplicates allowed
   * @param requirePlaces throws for accounts that the caller does not prove
   * @throws CallStateError if a hash is unknown, or no leaf
   */
  async prove(
    hashes: readonly Hash[],
    requirePlaces: (places: readonly LeafPlace[]) => void,
    context?: CallContext,
  ): Promise<ProvenLeaves> {
    if (hashes.length === 0) return { slot: await findIndexedSlot(this.reader), items: [] };
    const proveOnce = () => this.proveOnce(hashes, requirePlaces, context);
    const proven = (await proveOnce()) ?? (await proveOnce());
    if (!proven) throw new CallStateError('A leaf was nullified: read the accounts again');
    return proven;
  }

  /** Null if a leaf has another value than its account. */
  private async proveOnce(
    hashes: readonly Hash[],
    requirePlaces: (places: readonly LeafPlace[]) => void,
    context?: CallContext,
  ): Promise<ProvenLeaves | null> {
    const { items, ...slots } = await findLeafPlaces(this.reader, hashes);
    const places = items.map((place, at) => place ?? refuseUnknown(hashes[at]));
    requirePlaces(places);
    const found = new Map<LeafPlace, LeafPath>();
    const groups = groupByTree(places.filter(({ isQueued }) => !isQueued));
    const trees = await Promise.all(
      groups.map(async ({ tree, items: asked }) => {
        const { leafIndices, positions } = distinctLeaves(asked);
        const proofs = await this.prover.proveLeaves(tree, leafIndices, slots, context);
        const { slot, root, rootSeq, leaves, paths } = proofs;
        for (const [i, place] of asked.entries()) found.set(place, { paths, at: positions[i], root, rootSeq });
        return { slot, areLeaves: asked.every(({ hash }, i) => leaves[positions[i]].equals(hash)) };
      }),
    );
    if (!trees.every(({ areLeaves }) => areLeaves)) return null;
    const proven = places.map((place) => ({ place, path: found.get(place) ?? null }));
    return { slot: lowestSlot(trees, proven, slots), items: proven };
  }
}

function refuseUnknown(hash: Hash): never {
  throw new CallStateError(`No account with the hash ${toBase58(hash)} is known`);
}

/** The leaves of accounts, each once, and where each account's leaf is among them. */
function distinctLeaves(accounts: readonly LeafPlace[]): { leafIndices: number[]; positions: number[] } {
  const found = new Map<number, number>();
  const positions = accounts.map(({ leafIndex }) => {
    const at = found.get(leafIndex) ?? found.size;
    found.set(leafIndex, at);
    return at;
  });
  return { leafIndices: [...found.keys()], positions };
}

/** That an account is in an output queue is true at the indexed slot. */
function lowestSlot(
  trees: readonly { slot: number }[],
  items: readonly ProvenLeaf[],
  { indexedSlot }: Pick<ProofSlots, 'indexedSlot'>,
): number {
  const queued = items.some(({ path }) => path === null) ? [indexedSlot] : [];
  return Math.min(...trees.map(({ slot }) => slot), ...queued);
}
