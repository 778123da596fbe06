import { type Hash } from '@fresnel/domain/primitives';
import { InvalidProofError, type UncompressedProof } from '@fresnel/domain/trees/validity-proofs';
import { type AccountInput, type AddressInput, type ProofInputs } from './validity-prover';

/** The heights of state trees and address trees by version. */
const HEIGHTS = { 1: { state: 26, address: 26 }, 2: { state: 32, address: 40 } } as const;

/** The body of a request to `/prove`. */
export function writeProveRequest({ version, accounts, addresses, publicInputHash }: ProofInputs): object {
  const [hasAccounts, hasAddresses] = [accounts.length > 0, addresses.length > 0];
  return {
    circuitType: hasAccounts ? (hasAddresses ? 'combined' : 'inclusion') : 'non-inclusion',
    // Its presence selects the circuits of V2 trees.
    ...(publicInputHash && { publicInputHash: toHex(publicInputHash) }),
    ...(hasAccounts && {
      stateTreeHeight: HEIGHTS[version].state,
      inputCompressedAccounts: accounts.map(writeAccount),
    }),
    ...(hasAddresses && {
      addressTreeHeight: HEIGHTS[version].address,
      newAddresses: addresses.map(writeAddress),
    }),
  };
}

function writeAccount({ root, leaf, leafIndex, siblings }: AccountInput): object {
  return { root: toHex(root), pathIndex: leafIndex, pathElements: siblings.map(toHex), leaf: toHex(leaf) };
}

function writeAddress(input: AddressInput): object {
  return {
    root: toHex(input.root),
    value: toHex(input.address),
    pathIndex: input.lowElementLeafIndex,
    pathElements: input.siblings.map(toHex),
    leafLowerRangeValue: toHex(input.lowerRangeAddress),
    leafHigherRangeValue: toHex(input.higherRangeAddress),
    nextIndex: input.nextIndex,
  };
}

function toHex(hash: Hash): string {
  return `0x${hash.toString('hex')}`;
}

/** Reads the proof in a response. @throws InvalidProofError if it has another shape */
export function readProveResponse(text: string): UncompressedProof {
  const { ar, bs, krs } = parseObject(text);
  const [x, y] = pairOf(bs);
  return { ar: textPairOf(ar), bs: [textPairOf(x), textPairOf(y)], krs: textPairOf(krs) };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Not JSON.
  }
  throw new InvalidProofError('the response of the prover is not a JSON object');
}

function pairOf(value: unknown): [unknown, unknown] {
  if (!Array.isArray(value) || value.length !== 2) throw new InvalidProofError('the proof has another shape');
  return [value[0], value[1]];
}

function textPairOf(value: unknown): [string, string] {
  const [x, y] = pairOf(value);
  if (typeof x !== 'string' || typeof y !== 'string') throw new InvalidProofError('the proof has another shape');
  return [x, y];
}
