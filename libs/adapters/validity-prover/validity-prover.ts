import { FresnelError, type Hash } from '@fresnel/domain/primitives';
import { type CircuitSet, type CompressedProof } from '@fresnel/domain/trees/validity-proofs';

/** Computes zero-knowledge proofs. */
export interface ValidityProver {
  /** The circuits that it has. */
  readonly circuits: CircuitSet;
  /**
   * Proves that leaves and addresses are, and are not, below the given roots.
   *
   * @param inputs of a size for which there is a circuit; if a path does not lead to its root, they are rejected
   * @throws ValidityProverUnavailableError, ProofRejectedError
   */
  prove(inputs: ProofInputs): Promise<CompressedProof>;
}

export interface ProofInputs {
  /** The version of all trees. */
  version: 1 | 2;
  accounts: readonly AccountInput[];
  addresses: readonly AddressInput[];
  /** The public input of the circuits of V2 trees. Those of V1 trees have the roots, leaves and addresses instead. */
  publicInputHash: Hash | null;
}

/** A leaf and its path. */
export interface AccountInput {
  root: Hash;
  leaf: Hash;
  leafIndex: number;
  siblings: readonly Hash[];
}

/** An address, and its low element with its path. */
export interface AddressInput {
  root: Hash;
  address: Hash;
  lowElementLeafIndex: number;
  siblings: readonly Hash[];
  lowerRangeAddress: Hash;
  higherRangeAddress: Hash;
  nextIndex: number;
}

/** No prover answered in time. */
export class ValidityProverUnavailableError extends FresnelError {
  readonly code = 'validity-prover-unavailable';
  readonly isRetryable = true;
}

/** The prover answered that it cannot prove the inputs, or does not accept the API key. */
export class ProofRejectedError extends FresnelError {
  readonly code = 'proof-rejected';
  readonly isRetryable = false;
}
