import { type NewAddressProof } from '@fresnel/adapters/prover-client';
import { type TreeRecord } from '@fresnel/adapters/store-read';
import { type AccountInput, type AddressInput, type ProofInputs } from '@fresnel/adapters/validity-prover';
import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import { be32, type Hash, toBase58 } from '@fresnel/domain/primitives';
import { hashPublicInputs, type MerklePath, rootsOfPaths } from '@fresnel/domain/trees/validity-proofs';
import { type ProvenLeaf } from '../present/account-proof.presenter';

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
  const addressInputs = addresses.map(({ root, proof }) => ({ root, ...proof }));
  const publicInputHash =
    version === 1 ? null : hashPublicInputs({ accounts: accountInputs, addresses: addressInputs }, poseidon);
  return { version, accounts: accountInputs, addresses: addressInputs, publicInputHash };
}

function toAccountInput({ place: { hash: leaf, leafIndex }, path }: ProvenLeaf): AccountInput {
  if (!path) throw new Error('an account in an output queue has no path');
  const { root, paths, at } = path;
  return { root, leaf, leafIndex, siblings: paths.siblings(at) };
}

/**
 * Checks what a circuit proves: that the paths lead to the roots, and that addresses lie between their neighbours.
 *
 * @throws Error if they do not
 */
export function requirePaths({ version, accounts, addresses }: ProofInputs): void {
  for (const { lowerRangeAddress, address, higherRangeAddress } of addresses) {
    if (lowerRangeAddress.compare(address) >= 0 || address.compare(higherRangeAddress) >= 0) {
      throw new Error(`the address ${toBase58(address)} does not lie between its neighbours in its tree`);
    }
  }
  const paths = [...accounts, ...addresses.map((address) => toLowElementPath(version, address))];
  const roots = rootsOfPaths(paths, poseidonBatch);
  for (const [at, { root, leafIndex }] of paths.entries()) {
    if (!roots[at].equals(root)) throw new Error(`the path of leaf ${leafIndex} does not lead to the root of its tree`);
  }
}

/** The path of the element of an address tree before an address. */
function toLowElementPath(version: 1 | 2, input: AddressInput): MerklePath & { root: Hash } {
  const { root, siblings, lowerRangeAddress, nextIndex, higherRangeAddress, lowElementLeafIndex: leafIndex } = input;
  const middle = version === 1 ? [be32(nextIndex)] : [];
  return { root, leaf: poseidon([lowerRangeAddress, ...middle, higherRangeAddress]), leafIndex, siblings };
}
