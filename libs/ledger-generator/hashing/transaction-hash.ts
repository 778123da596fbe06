import { be32, type Hash, type Slot, ZERO_HASH } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/trees';

/** Left fold that starts with the first value; zero for none. */
export function hashChain(values: readonly Hash[]): Hash {
  if (values.length === 0) return ZERO_HASH;
  return values.reduce((chain, value) => poseidon([chain, value]));
}

/** What a transition's nullifiers commit to. */
export function hashTransaction(inputs: readonly Hash[], outputs: readonly Hash[], slot: Slot): Hash {
  return hashChain([ZERO_HASH, hashChain(inputs), hashChain(outputs), be32(slot)]);
}

/** What takes the place of a consumed account's leaf in a V2 tree. */
export function hashNullifier(accountHash: Hash, leafIndex: number, txHash: Hash): Hash {
  return poseidon([accountHash, be32(leafIndex), txHash]);
}
