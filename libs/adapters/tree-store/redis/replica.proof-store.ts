import { type Hash, keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import {
  type ProofStore,
  type QueuedElements,
  type QueuedElementsRequest,
  type TreeAtSlot,
  type TreeLeaves,
  type TreeProofs,
  type TreeVersion,
} from '../tree-store';
import { TreeStoreDamagedError, TreeStoreUnavailableError } from './errors';
import { type RedisTreeStore } from './redis.tree-store';

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
  readProofs(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot): Promise<TreeProofs | null> {
    return this.read(tree, minSlot, (store) => store.readProofs(tree, addresses));
  }

  /** @throws TreeStoreUnavailableError, TreeStoreDamagedError of the primary */
  readLeaves(tree: Pubkey, leafIndices: readonly number[], minSlot: Slot): Promise<TreeLeaves | null> {
    return this.read(tree, minSlot, (store) => store.readLeaves(tree, leafIndices));
  }

  /** @throws TreeStoreUnavailableError of the primary */
  readHead(tree: Pubkey, minSlot: Slot): Promise<TreeAtSlot | null> {
    return this.read(tree, minSlot, (store) => store.readHead(tree));
  }

  /** @throws TreeStoreUnavailableError, TreeStoreDamagedError of the primary, TreeMovedError */
  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest, minSlot: Slot): Promise<QueuedElements | null> {
    return this.read(tree, minSlot, (store) => store.readQueuedElements(tree, request));
  }

  private async read<Result extends TreeVersion>(
    tree: Pubkey,
    minSlot: Slot,
    read: Read<Result>,
  ): Promise<Result | null> {
    const version = this.versions.get(keyOf(tree));
    const found = version && (await this.readFromReplica(read));
    if (found && found.slot >= minSlot && found.historyId === version.historyId) return found;
    this.onPrimaryRead(performance.now() < this.pausedUntil ? 'replica-unavailable' : 'replica-behind');
    return read(this.primary);
  }

  /** Null if the replica does not have the tree, or fails. */
  private async readFromReplica<Result>(read: Read<Result>): Promise<Result | null> {
    if (performance.now() < this.pausedUntil) return null;
    try {
      return await read(this.replica);
    } catch (error) {
      if (!(error instanceof TreeStoreUnavailableError || error instanceof TreeStoreDamagedError)) throw error;
      this.pausedUntil = performance.now() + PAUSE_MS;
      return null;
    }
  }
}

/** Reads from the primary or the replica; null for an unknown tree. */
type Read<Result> = (store: RedisTreeStore) => Promise<Result | null>;
