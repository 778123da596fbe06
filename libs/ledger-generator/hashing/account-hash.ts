import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type AccountBody } from '../facts';
import { bytesToField, padToField } from './field';

/** Domain prefixes of the hash inputs. */
const LAMPORTS = Buffer.of(1);
const DISCRIMINATOR = Buffer.of(2);

/**
 * Hash of a compressed account, which is its leaf.
 *
 * ```
 * H( F(owner), leaf index, F(tree)
 *    [, 01 lamports]                        if not 0
 *    [, address]                            if it has one
 *    [, 02 discriminator, data hash] )      if it has data
 * ```
 *
 * Leaf index and lamports are little endian in V1 trees and big endian in V2 trees.
 */
export function hashAccount(body: AccountBody, tree: TreeInfo, leafIndex: number): Hash {
  const isLittleEndian = tree.type === 'stateV1';
  const inputs: Buffer[] = [bytesToField(body.owner), indexInput(leafIndex, isLittleEndian), treeInput(tree.tree)];
  if (body.lamports > 0n) inputs.push(lamportsInput(body.lamports, isLittleEndian));
  if (body.address) inputs.push(body.address);
  if (body.data) inputs.push(padToField(Buffer.concat([DISCRIMINATOR, body.data.discriminator])), body.data.dataHash);
  return poseidon(inputs);
}

function treeInput(tree: Pubkey): Hash {
  return bytesToField(tree);
}

function indexInput(leafIndex: number, isLittleEndian: boolean): Hash {
  const bytes = Buffer.alloc(4);
  if (isLittleEndian) bytes.writeUInt32LE(leafIndex);
  else bytes.writeUInt32BE(leafIndex);
  return padToField(bytes);
}

function lamportsInput(lamports: bigint, isLittleEndian: boolean): Hash {
  return padToField(Buffer.concat([LAMPORTS, u64Bytes(lamports, isLittleEndian)]));
}

/** The 8 bytes of a u64 in the given byte order. */
export function u64Bytes(value: bigint, isLittleEndian: boolean): Buffer {
  const bytes = Buffer.alloc(8);
  if (isLittleEndian) bytes.writeBigUInt64LE(value);
  else bytes.writeBigUInt64BE(value);
  return bytes;
}
