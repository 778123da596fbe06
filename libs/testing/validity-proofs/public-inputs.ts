import { poseidon } from '@fresnel/domain/poseidon';
import { type Hash } from '@fresnel/domain/primitives';
import { type ProofStatement } from '@fresnel/ledger-generator';

/**
 * The public inputs of the circuit of a statement. Circuits of V1 trees have all roots, leaves, roots of address trees and
 * addresses, in this order; circuits of V2 trees have one hash of them.
 */
export function publicInputsOf({ version, accounts, addresses }: ProofStatement): bigint[] {
  if (version === 2) return [toNumber(publicInputHashOf({ accounts, addresses }))];
  return [
    ...accounts.map(({ root }) => root),
    ...accounts.map(({ leaf }) => leaf),
    ...addresses.map(({ root }) => root),
    ...addresses.map(({ address }) => address),
  ].map(toNumber);
}

/** The public input of the circuits of V2 trees. */
export function publicInputHashOf({ accounts, addresses }: Omit<ProofStatement, 'version'>): Hash {
  const inclusion = accounts.map(({ root, leaf }) => [root, leaf]);
  const nonInclusion = addresses.map(({ root, address }) => [root, address]);
  const chains = [inclusion, nonInclusion].filter(({ length }) => length > 0).map(chainOf);
  return chains.length === 1 ? chains[0] : poseidon(chains);
}

function chainOf(pairs: readonly Hash[][]): Hash {
  return pairs.slice(1).reduce((chain, pair) => poseidon([chain, ...pair]), poseidon(pairs[0]));
}

function toNumber(hash: Hash): bigint {
  return BigInt(`0x${hash.toString('hex')}`);
}
