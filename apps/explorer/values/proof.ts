import bs58 from 'bs58';
import { poseidon2 } from 'poseidon-lite/poseidon2';
import { toHex } from './bytes';

/** The parts of an inclusion proof. All hashes are base58 of 32 big-endian bytes. */
export interface Inclusion {
  hash: string;
  leafIndex: number;
  /** Siblings, leaf level first. */
  proof: readonly string[];
  root: string;
}

export interface ProofStep {
  level: number;
  /** Whether the sibling is the left one of the pair. */
  isSiblingLeft: boolean;
  sibling: string;
  /** The hash of the pair. */
  parent: string;
}

/** Hashes the path from a leaf to the root with Poseidon. The proof holds if the last parent is the root. */
export function hashPath({ hash, leafIndex, proof }: Inclusion): ProofStep[] {
  let node = toNumber(hash);
  return proof.map((sibling, level) => {
    const isSiblingLeft = Math.floor(leafIndex / 2 ** level) % 2 === 1;
    const other = toNumber(sibling);
    node = poseidon2(isSiblingLeft ? [other, node] : [node, other]);
    return { level, isSiblingLeft, sibling, parent: toHash(node) };
  });
}

function toNumber(hash: string): bigint {
  return BigInt(`0x${toHex(bs58.decode(hash))}`);
}

function toHash(number: bigint): string {
  const hex = number.toString(16).padStart(64, '0');
  return bs58.encode(Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)));
}
