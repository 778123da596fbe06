import { type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { now } from '@fresnel/platform/time';
import {
  type ProofStore,
  type QueuedElements,
  type QueuedElementsRequest,
  type TreeAtSlot,
  type TreeLeaves,
  type TreeProofs,
} from '../tree-store';
import { TreeStoreDamagedError, TreeStoreUnavailableError } from '../tree-store.errors';
import { type RedisProofStore } from './redis.proof-store';

/** Why proofs were read from the primary. */
export type PrimaryReadReason = 'replica-behind' | 'replica-unavailable';

/** How long a replica that failed is not asked. */
const PAUSE_MS = 1_000;

/**
 * Proofs from a replica of the primary.
 *
 * Slots are read from the primary, which costs it two short commands for all requests of a tree that wait at the same time. Proofs
 * are read from the replica, which costs a thousand times more. The replica may lag: its tree has the slot of the primary's mark only
 * at the entry that the mark names for it, and otherwise the slot of its own entry. If that is too low, the primary answers.
 */
export class ReplicaProofStore implements ProofStore {
  private pausedUntil = 0;

  /**
   * @param replica with the marks of the primary
   * @param onPrimaryRead called for each request whose proofs are read from the primary
   */
  constructor(
    private readonly primary: RedisProofStore,
    private readonly replica: RedisProofStore,
    private readonly onPrimaryRead: (reason: PrimaryReadReason) => void,
  ) {}

  findSlot(): Promise<Slot | null> {
    return this.primary.findSlot();
  }

  isEmpty(): Promise<boolean> {
    return this.primary.isEmpty();
  }

  findTreeSlot(tree: Pubkey): Promise<Slot | null> {
    return this.primary.findTreeSlot(tree);
  }

  /** @throws TreeStoreUnavailableError, TreeStoreDamagedError of the primary */
  readProofs(tree: Pubkey, addresses: readonly Hash[], minSlot?: Slot): Promise<TreeProofs | null> {
    return this.read(minSlot, (store) => store.readProofs(tree, addresses, minSlot));
  }

  /** @throws TreeStoreUnavailableError, TreeStoreDamagedError of the primary */
  readLeaves(tree: Pubkey, leafIndices: readonly number[], minSlot?: Slot): Promise<TreeLeaves | null> {
    return this.read(minSlot, (store) => store.readLeaves(tree, leafIndices, minSlot));
  }

  /** @throws TreeStoreUnavailableError of the primary */
  readHead(tree: Pubkey, minSlot?: Slot): Promise<TreeAtSlot | null> {
    return this.read(minSlot, (store) => store.readHead(tree, minSlot));
  }

  /** @throws TreeStoreUnavailableError, TreeStoreDamagedError of the primary, TreeMovedError */
  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest, minSlot?: Slot): Promise<QueuedElements | null> {
    return this.read(minSlot, (store) => store.readQueuedElements(tree, request, minSlot));
  }

  private async read<Result extends TreeAtSlot>(minSlot: Slot | undefined, read: Read<Result>): Promise<Result | null> {
    const found = await this.readFromReplica(read);
    if (found && found.slot >= (minSlot ?? 0)) return found;
    this.onPrimaryRead(now() < this.pausedUntil ? 'replica-unavailable' : 'replica-behind');
    return read(this.primary);
  }

  /** Null if the replica does not have the tree, or fails. */
  private async readFromReplica<Result>(read: Read<Result>): Promise<Result | null> {
    if (now() < this.pausedUntil) return null;
    try {
      return await read(this.replica);
    } catch (error) {
      if (!(error instanceof TreeStoreUnavailableError || error instanceof TreeStoreDamagedError)) throw error;
      this.pausedUntil = now() + PAUSE_MS;
      return null;
    }
  }
}

/** Reads from the primary or the replica; null for an unknown tree. */
type Read<Result> = (store: RedisProofStore) => Promise<Result | null>;
