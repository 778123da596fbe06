import { type NewAddressProof } from '@fresnel/adapters/prover-client';
import { type TreeRecord } from '@fresnel/adapters/store-read';
import { type AccountInput, type ProofInputs } from '@fresnel/adapters/validity-prover';
import { poseidon } from '@fresnel/domain/poseidon';
import { be32, type Hash, type Hasher, toBase58 } from '@fresnel/domain/primitives';
import { hashPublicInputs, rootOfPath } from '@fresnel/domain/validity-proofs';
import { type ProvenLeaf } from './leaf-prover';

/** An address with the proof that it is new. */
export interface ProvenAddress {
  tree: TreeRecord;
  root: Hash;
  rootSeq: bigint;
  proof: NewAddressProof;
}

/** The inputs of a circuit. @param accounts with a path */
export function toProofInputs(
  version: 1 | 2,
  accounts: readonly ProvenLeaf[],
  addresses: readonly Omit<ProvenAddress, 'tree' | 'rootSeq'>[],
): ProofInputs {
  const accountInputs = accounts.map(toAccountInput);
  const addressInputs = addresses.map(({ root, proof: { proof: siblings, ...proof } }) => ({
    root,
    siblings,
    ...proof,
  }));
  const publicInputHash =
    version === 1 ? null : hashPublicInputs({ accounts: accountInputs, addresses: addressInputs }, poseidon);
  return { version, accounts: accountInputs, addresses: addressInputs, publicInputHash };
}

function toAccountInput({ place: { hash: leaf, leafIndex }, path }: ProvenLeaf): AccountInput {
  if (!path) throw new Error('an account in an output queue has no path');
  const { root, siblings } = path;
  return { root, leaf, leafIndex, siblings };
}

/**
 * Checks what a circuit proves: that the paths lead to the roots, and that addresses lie between their neighbours.
 *
 * @throws Error if they do not
 */
export function requirePaths({ version, accounts, addresses }: ProofInputs, hasher: Hasher): void {
  for (const { root, leaf, leafIndex, siblings } of accounts) requireRoot(root, leaf, leafIndex, siblings, hasher);
  for (const { root, siblings, ...low } of addresses) {
    const middle = version === 1 ? [be32(low.nextIndex)] : [];
    const leaf = hasher([low.lowerRangeAddress, ...middle, low.higherRangeAddress]);
    requireRoot(root, leaf, low.lowElementLeafIndex, siblings, hasher);
    if (low.lowerRangeAddress.compare(low.address) >= 0 || low.address.compare(low.higherRangeAddress) >= 0) {
      throw new Error(`the address ${toBase58(low.address)} does not lie between its neighbours in its tree`);
    }
  }
}

function requireRoot(root: Hash, leaf: Hash, leafIndex: number, siblings: readonly Hash[], hasher: Hasher): void {
  if (rootOfPath(leaf, leafIndex, siblings, hasher).equals(root)) return;
  throw new Error(`the path of leaf ${leafIndex} does not lead to the root of its tree`);
}
