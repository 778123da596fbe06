import { type NewAddressProof } from '@fresnel/adapters/prover-client';
import { type TreeRecord } from '@fresnel/adapters/store-read';
import { type AccountInput, type AddressInput, type ProofInputs } from '@fresnel/adapters/validity-prover';
import { poseidon } from '@fresnel/domain/poseidon';
import { be32, type Hash, type Hasher } from '@fresnel/domain/primitives';
import { hashOnce, hashPublicInputs, rootOfPath } from '@fresnel/domain/validity-proofs';
import { type ProvenLeaf } from './leaf-prover';

/** An address with the proof that it is new. */
export interface ProvenAddress {
  tree: TreeRecord;
  root: Hash;
  rootSeq: bigint;
  proof: NewAddressProof;
}

/**
 * The inputs of a circuit. Checks that the paths lead to the roots: a prover takes seconds to find that they do not.
 *
 * @param accounts with a path
 */
export function toProofInputs(
  version: 1 | 2,
  accounts: readonly ProvenLeaf[],
  addresses: readonly Omit<ProvenAddress, 'tree' | 'rootSeq'>[],
): ProofInputs {
  const hasher = hashOnce(poseidon);
  const accountInputs = accounts.map((account) => toAccountInput(account, hasher));
  const addressInputs = addresses.map((address) => toAddressInput(version, address, hasher));
  const publicInputHash =
    version === 1 ? null : hashPublicInputs({ accounts: accountInputs, addresses: addressInputs }, poseidon);
  return { version, accounts: accountInputs, addresses: addressInputs, publicInputHash };
}

function toAccountInput({ place: { hash: leaf, leafIndex }, path }: ProvenLeaf, hasher: Hasher): AccountInput {
  if (!path) throw new Error('an account in an output queue has no path');
  const { root, siblings } = path;
  requireRoot(root, leaf, leafIndex, siblings, hasher);
  return { root, leaf, leafIndex, siblings };
}

function toAddressInput(
  version: 1 | 2,
  { root, proof: { proof: siblings, ...proof } }: Omit<ProvenAddress, 'tree' | 'rootSeq'>,
  hasher: Hasher,
): AddressInput {
  const { lowerRangeAddress, higherRangeAddress, lowElementLeafIndex, nextIndex } = proof;
  const middle = version === 1 ? [be32(nextIndex)] : [];
  requireRoot(root, hasher([lowerRangeAddress, ...middle, higherRangeAddress]), lowElementLeafIndex, siblings, hasher);
  return { root, siblings, ...proof };
}

function requireRoot(root: Hash, leaf: Hash, leafIndex: number, siblings: readonly Hash[], hasher: Hasher): void {
  if (rootOfPath(leaf, leafIndex, siblings, hasher).equals(root)) return;
  throw new Error(`the path of leaf ${leafIndex} does not lead to the root of its tree`);
}
