import { FresnelError, type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type MerklePaths } from '@fresnel/domain/trees';
import { type QueueElements, type QueueElementsRequest } from './prover-elements';

/** Injection token: a prover in this process, or a client of remote provers. */
export const PROVER_CLIENT = Symbol('ProverClient');

/** What a caller passes with a call. */
export interface ProverCallOptions {
  /** Aborts the call, which then throws ProverUnavailableError. */
  signal?: AbortSignal;
  /** Identifies the client's request in the logs of gateway and prover. */
  requestId?: string;
}

/** Proves that addresses are not in an address tree, and that leaves are in a state tree, and has the queues of V2 trees. */
export interface ProverClient {
  /**
   * Returns new-address proofs of one state of the tree: all have the same root and sequence number.
   *
   * @param addresses in any order, duplicates allowed; each above 0 and below 2^248-1
   * @param minSlot the slot that the response must include at least; a prover that is a little behind waits for a short
   * time, and a prover that stays far behind throws TreeBehindError at once
   * @returns proofs in the order of `addresses`
   * @throws AddressExistsError, UnknownTreeError, TreeNotServableError, TreeBehindError, BranchUndecidedError,
   * ProverUnavailableError
   */
  proveNewAddresses(
    tree: Pubkey,
    addresses: readonly Hash[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<NewAddressProofs>;

  /**
   * Returns Merkle paths of one state of a state tree: all lead to the same root.
   *
   * @param leafIndices in any order, duplicates allowed; a leaf that is not appended yet has zero bytes as its hash
   * @param minSlot as for `proveNewAddresses`
   * @returns leaves in the order of `leafIndices`
   * @throws LeafOutOfRangeError, UnknownTreeError, TreeNotServableError, TreeBehindError, BranchUndecidedError,
   * ProverUnavailableError
   */
  proveLeaves(
    tree: Pubkey,
    leafIndices: readonly number[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<StateTreeProofs>;

  /**
   * Returns which positions of the queues of a V2 tree wait for a batch.
   *
   * @param minSlot as for `proveNewAddresses`
   * @throws UnknownTreeError, TreeNotServableError, TreeBehindError, BranchUndecidedError,
   * ProverUnavailableError
   */
  findQueues(tree: Pubkey, minSlot: Slot, options?: ProverCallOptions): Promise<TreeQueues>;

  /**
   * Returns entries of the queues of a V2 tree with the nodes that update the tree, from one state of the tree.
   *
   * @param minSlot as for `proveNewAddresses`
   * @throws QueueStartPassedError if a state tree's queue starts after the requested position, UnknownTreeError also for a tree
   * without a requested queue, TreeNotServableError, TreeBehindError, BranchUndecidedError,
   * ProverUnavailableError
   */
  findQueueElements(
    tree: Pubkey,
    queues: QueueElementsRequest,
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<QueueElements>;
}

export interface NewAddressProofs {
  /** The tree contains all blocks up to this slot. */
  slot: number;
  /** The block at that slot; null if it is not known. */
  blockhash: Hash | null;
  root: Hash;
  /** The sequence number of that root on the chain. */
  rootSeq: bigint;
  /** The addresses and their low elements, in the order of the request, as `packElements` writes them. */
  elements: Buffer;
  /**
   * The paths of the low elements' leaves. A thousand have 30,000 hashes or more: those that they share are sent once, and
   * none becomes an object, unless `unpackProofs` is called.
   */
  paths: MerklePaths;
}

export interface NewAddressProof {
  address: Hash;
  /** Value of the low element of the address, and of the next element. */
  lowerRangeAddress: Hash;
  higherRangeAddress: Hash;
  lowElementLeafIndex: number;
  /** Leaf index of the next element. */
  nextIndex: number;
  /** Siblings of the low element's leaf, leaf level first. */
  siblings: readonly Hash[];
}

export interface StateTreeProofs {
  /** The tree contains all blocks up to this slot. */
  slot: number;
  /** The block at that slot; null if it is not known. */
  blockhash: Hash | null;
  root: Hash;
  /** The sequence number of that root on the chain; 0 for a tree without leaves. */
  rootSeq: bigint;
  /** The number of appended leaves. V2: leaves at this index and above are still in the output queue. */
  nextIndex: bigint;
  /** In the order of the request: each an account hash, a nullifier (V2), or zero bytes: empty or nullified (V1). */
  leaves: Hash[];
  /** The paths of the leaves, in the same order. */
  paths: MerklePaths;
}

/** The queues of a V2 tree. */
export interface TreeQueues {
  /** The tree contains all blocks up to this slot. */
  slot: number;
  /** The block at that slot; null if it is not known. */
  blockhash: Hash | null;
  /** State trees: the output queue. Address trees: the address queue. */
  queue: QueueRange;
  /** State trees: the input queue. Empty for address trees. */
  inputQueue: QueueRange;
}

/** The positions of the entries that wait in a queue, counted from the creation of the tree. */
export interface QueueRange {
  start: bigint;
  /** Exclusive. */
  end: bigint;
}

/** An address is already in the tree or its queue. */
export class AddressExistsError extends FresnelError {
  readonly code = 'address-exists';
  readonly isRetryable = false;

  constructor(readonly address: Hash) {
    super('an address is already in the tree or its queue');
  }
}

/** No tree with this key, and of the kind that the call is for, is indexed. */
export class UnknownTreeError extends FresnelError {
  readonly code = 'unknown-tree';
  readonly isRetryable = false;

  constructor(readonly tree: Pubkey) {
    super('no such tree is indexed');
  }
}

/** The tree is indexed, but unservable: quarantined or incomplete. The message is a sentence for callers. */
export class TreeNotServableError extends FresnelError {
  readonly code = 'tree-not-servable';
  readonly isRetryable = false;
}

/** The tree is not applied up to the requested slot, and was not within the time that a request waits. */
export class TreeBehindError extends FresnelError {
  readonly code = 'tree-behind';
  readonly isRetryable = true;

  /** @param slot the slot of the tree; null: it has none */
  constructor(
    readonly slot: Slot | null,
    readonly minSlot: Slot,
  ) {
    super(`the tree is applied up to slot ${slot ?? 'none'}, but slot ${minSlot} is requested`);
  }
}

/** Blocks of two branches were published, and no revert has decided yet which of them is orphaned. */
export class BranchUndecidedError extends FresnelError {
  readonly code = 'branch-undecided';
  readonly isRetryable = true;

  constructor() {
    super('blocks of two branches were published, and none of them was reverted yet');
  }
}

/** A leaf index is not below 2^height. */
export class LeafOutOfRangeError extends FresnelError {
  readonly code = 'leaf-out-of-range';
  readonly isRetryable = false;

  constructor(
    readonly leafIndex: number,
    readonly height: number,
  ) {
    super(`a tree of height ${height} has no leaf ${leafIndex}`);
  }
}

/** The prover cannot be reached, or the request was aborted. */
export class ProverUnavailableError extends FresnelError {
  readonly code = 'prover-unavailable';
  readonly isRetryable = true;
}
