import { type AccountBody } from '@fresnel/domain/events';
import { be32, type Hash, type Hasher, type Pubkey, type Slot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeType } from '@fresnel/domain/trees';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** Bytes to a field element: Keccak-256 of the parts and a byte ff, first byte of the digest cleared. */
export function hashToField(...parts: readonly Buffer[]): Hash {
  return keccakToField(...parts, Buffer.from([0xff]));
}

/** An AddressV1 seed leaves the closing byte out. */
function keccakToField(...parts: readonly Buffer[]): Hash {
  const digest = Buffer.from(keccak_256(Buffer.concat(parts)));
  digest[0] = 0;
  return digest as Hash;
}

/**
 * Hash of a compressed account, which is its leaf.
 *
 * H(owner, leaf index, tree, [lamports], [address], [discriminator, data hash]); numbers are little endian in V1 trees and
 * big endian in V2 trees; lamports and discriminator are marked by a byte 1 and 2 before them.
 *
 * @param tree the tree itself, never its queue
 */
export function hashAccount(
  body: AccountBody,
  leafIndex: number,
  tree: Pubkey,
  treeType: TreeType,
  hasher: Hasher,
): Hash {
  const isV1 = treeType === 'stateV1' || treeType === 'addressV1';
  const inputs: Buffer[] = [hashToField(body.owner), indexInput(leafIndex, isV1), hashToField(tree)];
  if (body.lamports !== 0n) inputs.push(markedInput(1, lamportsBytes(body.lamports, isV1)));
  if (body.address) inputs.push(body.address);
  if (body.data) inputs.push(markedInput(2, body.data.discriminator), body.data.dataHash);
  return hasher(inputs);
}

function indexInput(leafIndex: number, isLittleEndian: boolean): Buffer {
  const input = Buffer.alloc(32);
  if (isLittleEndian) input.writeUInt32LE(leafIndex, 28);
  else input.writeUInt32BE(leafIndex, 28);
  return input;
}

function lamportsBytes(lamports: bigint, isLittleEndian: boolean): Buffer {
  const bytes = Buffer.alloc(8);
  if (isLittleEndian) bytes.writeBigUInt64LE(lamports);
  else bytes.writeBigUInt64BE(lamports);
  return bytes;
}

function markedInput(mark: number, bytes: Buffer): Buffer {
  const input = Buffer.alloc(32);
  input[23] = mark;
  bytes.copy(input, 24);
  return input;
}

/** What replaces the leaf of a consumed account of a V2 tree. */
export function hashNullifier(account: Hash, leafIndex: number, txHash: Hash, hasher: Hasher): Hash {
  return hasher([account, be32(leafIndex), txHash]);
}

/** Commits a transition to its inputs, its outputs and its slot. */
export function hashTransaction(inputs: readonly Hash[], outputs: readonly Hash[], slot: Slot, hasher: Hasher): Hash {
  return chain([ZERO_HASH, chain(inputs, hasher), chain(outputs, hasher), be32(slot)], hasher);
}

/** Left fold: H(H(a, b), c) and so on. Nothing is 32 zero bytes, one value is itself. */
function chain(values: readonly Hash[], hasher: Hasher): Hash {
  return values.length === 0 ? ZERO_HASH : values.reduce((folded, value) => hasher([folded, value]));
}

/** The address that a program derives from its seeds in an AddressV1 tree. */
export function deriveAddressV1(program: Pubkey, seeds: readonly Buffer[], tree: Pubkey): Hash {
  return hashToField(tree, keccakToField(program, ...seeds));
}

/** The address that a program derives from its seeds in an AddressV2 tree. */
export function deriveAddressV2(program: Pubkey, seeds: readonly Buffer[], tree: Pubkey): Hash {
  return hashToField(hashToField(...seeds), tree, program);
}
