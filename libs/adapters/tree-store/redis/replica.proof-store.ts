import { type Hash, keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type ProofStore, type TreeProofs } from '../tree-store';
import { TreeStoreDamagedError, TreeStoreUnavailableError } from './errors';
import { type RedisTreeStore, type TreeVersion, type VersionedTreeProofs } from './redis.tree-store';

/** Why proofs were read from the primary. */
export type PrimaryReadReason = 'replica-behind' | 'replica-unavailable';

/** How long a replica that failed is not asked. */
const PAUSE_MS = 1_000;

/**
 * Proofs from a replica of the primary, as new as if they were read from the primary.
 *
 * Slots are read from the primary, which costs it one short command for all requests of a tree that wait at the same
 * time. Proofs are read from the replica, which costs a thousand times more. The replica may lag: its answer is used only
 * if it has the requested slot and is on the branch that the primary had when the slot was read. Otherwise the primary
 * answers.
 */
export class ReplicaProofStore implements ProofStore {
  /** The newest version that was read from the primary, by tree. */
  private readonly versions = new Map<string, TreeVersion>();
  private pausedUntil = 0;

  /** @param onPrimaryRead called for each request whose proofs are read from the primary */
  constructor(
    private readonly primary: RedisTreeStore,
    private readonly replica: RedisTreeStore,
    private readonly onPrimaryRead: (reason: PrimaryReadReason) => void,
  ) {}

  findSlot(): Promise<Slot | null> {
    return this.primary.findSlot();
  }

  isEmpty(): Promise<boolean> {
    return this.primary.isEmpty();
  }

  async findTreeSlot(tree: Pubkey): Promise<Slot | null> {
    const version = await this.primary.findVersion(tree);
    if (version) this.versions.set(keyOf(tree), version);
    else this.versions.delete(keyOf(tree));
    return version?.slot ?? null;
  }

  /** @throws TreeStoreUnavailableError, TreeStoreDamagedError of the primary */
  async readProofs(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot): Promise<TreeProofs | null> {
    const version = this.versions.get(keyOf(tree));
    const proofs = version && (await this.readFromReplica(tree, addresses));
    if (proofs && proofs.slot >= minSlot && proofs.historyId === version.historyId) return proofs;
    this.onPrimaryRead(performance.now() < this.pausedUntil ? 'replica-unavailable' : 'replica-behind');
    return this.primary.readProofs(tree, addresses);
  }

  /** Null if the replica does not have the tree, or fails. */
  private async readFromReplica(tree: Pubkey, addresses: readonly Hash[]): Promise<VersionedTreeProofs | null> {
    if (performance.now() < this.pausedUntil) return null;
    try {
      return await this.replica.readProofs(tree, addresses);
    } catch (error) {
      if (!(error instanceof TreeStoreUnavailableError || error instanceof TreeStoreDamagedError)) throw error;
      this.pausedUntil = performance.now() + PAUSE_MS;
      return null;
    }
  }
}
