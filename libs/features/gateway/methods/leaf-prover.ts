import { ProverOnBranch } from './prover-on-branch';
import { type StateTreeProofs } from '@fresnel/adapters/prover-client';
import { findIndexedSlot, findLeafPlaces, type LeafPlace, type ProofSlots, Reader } from '@fresnel/adapters/store-read';
import { type Hash, keyOf, type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { Injectable } from '@nestjs/common';
import { CallStateError } from '../responses/call-state.error';
import { groupByTree } from './group-by-tree';
import { type CallContext } from './rpc-method';

/** The Merkle path of an account's leaf. */
export interface LeafPath {
  siblings: Hash[];
  root: Hash;
  rootSeq: bigint;
}

/** An account with its path; without one while it is in an output queue, where programs check it by its leaf index. */
export interface ProvenLeaf {
  place: LeafPlace;
  path: LeafPath | null;
}

export interface ProvenLeaves {
  /** The slot at which all paths are true: the lowest of the trees involved, and not below the indexed slot. */
  slot: number;
  /** In the order of the request. */
  items: ProvenLeaf[];
}

/** The state of one tree. */
interface ProvenTree {
  slot: number;
  paths: Map<number, LeafPath & { hash: Hash }>;
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
    const groups = groupByTree(places.filter(({ isQueued }) => !isQueued));
    const trees = new Map<string, ProvenTree>();
    await Promise.all(
      groups.map(async ({ tree, items: leaves }) => {
        const leafIndices = [...new Set(leaves.map(({ leafIndex }) => leafIndex))];
        trees.set(keyOf(tree), await this.proveTree(tree, leafIndices, slots, context));
      }),
    );
    const proven = places.map((place) => ({ place, path: pathOf(place, trees) }));
    if (proven.some(({ path, place }) => path && !path.hash.equals(place.hash))) return null;
    return { slot: lowestSlot([...trees.values()], proven, slots), items: proven };
  }

  private async proveTree(
    tree: Pubkey,
    leafIndices: readonly number[],
    slots: ProofSlots,
    context?: CallContext,
  ): Promise<ProvenTree> {
    const proofs = await this.prover.proveLeaves(tree, leafIndices, slots, context);
    return { slot: proofs.slot, paths: pathsByIndex(proofs) };
  }
}

function refuseUnknown(hash: Hash): never {
  throw new CallStateError(`No account with the hash ${toBase58(hash)} is known`);
}

function pathsByIndex({ root, rootSeq, leaves }: StateTreeProofs): ProvenTree['paths'] {
  return new Map(leaves.map(({ leafIndex, hash, siblings }) => [leafIndex, { hash, siblings, root, rootSeq }]));
}

function pathOf({ tree, leafIndex, isQueued }: LeafPlace, trees: ReadonlyMap<string, ProvenTree>) {
  if (isQueued) return null;
  const path = trees.get(keyOf(tree))?.paths.get(leafIndex);
  if (!path) throw new Error(`the prover did not return leaf ${leafIndex}`);
  return path;
}

/** That an account is in an output queue is true at the indexed slot. */
function lowestSlot(
  trees: readonly ProvenTree[],
  items: readonly ProvenLeaf[],
  { indexedSlot }: Pick<ProofSlots, 'indexedSlot'>,
): number {
  const queued = items.some(({ path }) => path === null) ? [indexedSlot] : [];
  return Math.min(...trees.map(({ slot }) => slot), ...queued);
}
