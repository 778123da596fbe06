import { type AccountBody } from '@fresnel/domain/events';
import { be32, type BatchHasher, HASH_BYTES, type Hash, type Hasher, type Pubkey } from '@fresnel/domain/primitives';
import { type TreeType } from '@fresnel/domain/trees';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * Hashes bytes to a field element: Keccak-256 of the parts and the byte ff, with the first byte of the digest set to
 * zero.
 */
export function hashToField(...parts: readonly Buffer[]): Hash {
  const digest = Buffer.from(keccak_256(Buffer.concat([...parts, Buffer.from([0xff])])));
  digest[0] = 0;
  return digest as Hash;
}

/**
 * Hashes a compressed account. The hash is its leaf.
 *
 * H(owner, leaf index, tree, [lamports], [address], [discriminator, data hash]). Numbers are little endian in V1 trees
 * and big endian in V2 trees. Lamports are prefixed with the byte 1, the discriminator with the byte 2.
 *
 * @param tree the tree, not its queue
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

/** An account of a V2 tree that a transaction consumed. */
export interface NullifiedAccount {
  hash: Hash;
  leafIndex: number;
  txHash: Hash;
}

/**
 * The nullifiers that replace the leaves of consumed accounts in V2 trees: H(account hash, leaf index, transaction hash).
 *
 * @throws MalformedBytesError if a hash is not a field element
 */
export async function hashNullifiers(
  accounts: readonly NullifiedAccount[],
  hashBatch: BatchHasher,
): Promise<readonly Hash[]> {
  if (accounts.length === 0) return [];
  const inputs = accounts.flatMap(({ hash, leafIndex, txHash }) => [hash, be32(leafIndex), txHash]);
  const nullifiers = await hashBatch(3, Buffer.concat(inputs));
  return accounts.map((_, at) => nullifiers.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) as Hash);
}
