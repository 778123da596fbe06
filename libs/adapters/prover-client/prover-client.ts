import { FresnelError, type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';

/** Injection token: the prover in this process, or one behind the network. */
export const PROVER_CLIENT = Symbol('ProverClient');

/** Proves that addresses are not in an address tree. */
export interface ProverClient {
  /**
   * All proofs come from one state of the tree: one root, one sequence number.
   *
   * @param addresses in any order, duplicates allowed; each above 0 and below 2^248-1
   * @param minSlot what the rest of the index shows already; a prover that is behind it waits a moment, then refuses
   * @returns proofs in the order asked for
   * @throws AddressExistsError, UnknownTreeError, TreeNotServableError, ProverUnavailableError
   */
  proveNewAddresses(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot): Promise<NewAddressProofs>;
}

export interface NewAddressProofs {
  /** Slot up to which the tree is applied. */
  slot: number;
  root: Hash;
  /** The chain's own number of that root. */
  rootSeq: bigint;
  items: NewAddressProof[];
}

export interface NewAddressProof {
  address: Hash;
  /** Value of the element below the address, and of the one above it. */
  lowerRangeAddress: Hash;
  higherRangeAddress: Hash;
  lowElementLeafIndex: number;
  /** Leaf index of the element above. */
  nextIndex: number;
  /** Siblings of the lower element's leaf, leaf level first. */
  proof: Hash[];
}

/** An address is in the tree already, or waits in its queue. */
export class AddressExistsError extends FresnelError {
  readonly code = 'address-exists';
  readonly isRetryable = false;

  constructor(readonly address: Hash) {
    super('an address is in the tree already, or waits in its queue');
  }
}

/** No address tree of this key is known. */
export class UnknownTreeError extends FresnelError {
  readonly code = 'unknown-tree';
  readonly isRetryable = false;

  constructor(readonly tree: Pubkey) {
    super('no address tree of this key is known');
  }
}

/** The tree is known, but its copy here is not whole. The message is a sentence for callers. */
export class TreeNotServableError extends FresnelError {
  readonly code = 'tree-not-servable';
  readonly isRetryable = false;
}

/** The prover cannot be asked right now, or is behind the rest of the index. */
export class ProverUnavailableError extends FresnelError {
  readonly code = 'prover-unavailable';
  readonly isRetryable = true;
}
