import { be32, type Hash, type Slot, ZERO_HASH } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';

/** Hash chain: `H(H(v0, v1), v2)…`; 32 zero bytes for an empty list. */
export function hashChain(values: readonly Hash[]): Hash {
  if (values.length === 0) return ZERO_HASH;
  return values.reduce((chain, value) => poseidon([chain, value]));
}

/** The transaction hash, to which the nullifiers of a transition commit. */
export function hashTransaction(inputs: readonly Hash[], outputs: readonly Hash[], slot: Slot): Hash {
  return hashChain([ZERO_HASH, hashChain(inputs), hashChain(outputs), be32(slot)]);
}

/** The nullifier, which replaces the leaf of a consumed account in a V2 tree. */
export function hashNullifier(accountHash: Hash, leafIndex: number, txHash: Hash): Hash {
  return poseidon([accountHash, be32(leafIndex), txHash]);
}
