import { FresnelError, type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';

/** Injection token: a prover in this process, or a client of remote provers. */
export const PROVER_CLIENT = Symbol('ProverClient');

/** Proves that addresses are not in an address tree. */
export interface ProverClient {
  /**
   * Returns new-address proofs of one state of the tree: all have the same root and sequence number.
   *
   * @param addresses in any order, duplicates allowed; each above 0 and below 2^248-1
   * @param minSlot the slot that the response must include at least; a prover that is a little behind waits for a short
   * time, and a prover that is far behind throws TreeBehindError at once
   * @param signal aborts the request, which then throws ProverUnavailableError
   * @returns proofs in the order of `addresses`
   * @throws AddressExistsError, UnknownTreeError, TreeNotServableError, TreeBehindError, ProverUnavailableError
   */
  proveNewAddresses(
    tree: Pubkey,
    addresses: readonly Hash[],
    minSlot: Slot,
    signal?: AbortSignal,
  ): Promise<NewAddressProofs>;
}

export interface NewAddressProofs {
  /** The tree contains all blocks up to this slot. */
  slot: number;
  root: Hash;
  /** The sequence number of that root on the chain. */
  rootSeq: bigint;
  items: NewAddressProof[];
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
  proof: Hash[];
}

/** An address is already in the tree or its queue. */
export class AddressExistsError extends FresnelError {
  readonly code = 'address-exists';
  readonly isRetryable = false;

  constructor(readonly address: Hash) {
    super('an address is already in the tree or its queue');
  }
}

/** No address tree with this key is indexed. */
export class UnknownTreeError extends FresnelError {
  readonly code = 'unknown-tree';
  readonly isRetryable = false;

  constructor(readonly tree: Pubkey) {
    super('no address tree with this key is indexed');
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
    super(`the address tree is applied up to slot ${slot ?? 'none'}, but slot ${minSlot} is requested`);
  }
}

/** The prover cannot be reached, or the request was aborted. */
export class ProverUnavailableError extends FresnelError {
  readonly code = 'prover-unavailable';
  readonly isRetryable = true;
}
