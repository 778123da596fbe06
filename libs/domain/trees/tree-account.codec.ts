import { type Hash, isZero, MalformedBytesError, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { MAX_HEIGHT } from './zero-subtrees';
import { type TreeInfo, type TreeType, treeTypeOf } from './tree-info';

/** Discriminators of tree accounts. */
export const TREE_DISCRIMINATORS = {
  stateV1: Buffer.from('ac2bacba1d49db54', 'hex'),
  addressV1: Buffer.from('0ba1af09d4e54949', 'hex'),
  v2: Buffer.from('BatchMta', 'latin1'),
} as const;

/** Offset of the tree's owner in the account data. */
export const TREE_OWNER_OFFSET = { stateV1: 8, addressV1: 8, v2: 16 } as const;

/** Number of bytes before the roots, enough for all other values. */
export const TREE_HEADER_BYTES = 704;

const V1_CHANGELOG_ENTRY_BYTES = 872;

/**
 * Parses a tree account of the account compression program.
 *
 * ```
 * V1   0 discriminator | 8 owner | 160 queue | 224 height u64 | 240 next index u64 | 248 seq u64
 *      304 changelog capacity u64 | 336 roots capacity u64 | 360 index of the current root u64
 *      384 + 32 height + 872 changelog capacity: roots
 * V2   0 discriminator | 8 type u64 | 16 owner | 168 queue (zero: the tree itself) | 232 seq u64
 *      240 next index u64 | 248 height u32 | 252 roots capacity u32 | 312 next queue index u64
 *      680 next root index u64 | 704 roots
 * ```
 *
 * @param data the data of the account, or at least the first TREE_HEADER_BYTES; then the observation has no root
 * @param slot the slot at which the account was read
 * @returns null for an account that is not a tree
 * @throws MalformedBytesError for a malformed tree account
 */
export function parseTreeAccount(tree: Pubkey, data: Buffer, slot: Slot): TreeInfo | null {
  const discriminator = data.subarray(0, 8);
  if (discriminator.equals(TREE_DISCRIMINATORS.stateV1)) return checked(parseV1(tree, 'stateV1', complete(data), slot));
  if (discriminator.equals(TREE_DISCRIMINATORS.addressV1))
    return checked(parseV1(tree, 'addressV1', complete(data), slot));
  if (discriminator.equals(TREE_DISCRIMINATORS.v2)) return checked(parseV2(tree, complete(data), slot));
  return null;
}

function complete(data: Buffer): Buffer {
  if (data.length >= TREE_HEADER_BYTES) return data;
  throw new MalformedBytesError(`a tree account has only ${data.length} bytes`);
}

function parseV1(tree: Pubkey, type: TreeType, data: Buffer, slot: Slot): TreeInfo {
  const height = readLength(data, 224);
  const changelogCapacity = readLength(data, 304);
  const rootHistoryCapacity = readLength(data, 336);
  const rootsOffset = 384 + 32 * height + V1_CHANGELOG_ENTRY_BYTES * changelogCapacity;
  return {
    tree,
    queue: pubkeyAt(data, 160),
    type,
    height,
    rootHistoryCapacity,
    owner: pubkeyAt(data, 8),
    observed: {
      slot,
      nextIndex: data.readBigUInt64LE(240),
      seq: data.readBigUInt64LE(248),
      queueEnd: 0n,
      root: rootAt(data, rootsOffset, readLength(data, 360)),
    },
  };
}

function parseV2(tree: Pubkey, data: Buffer, slot: Slot): TreeInfo | null {
  const type = treeTypeOf(readLength(data, 8));
  if (type !== 'stateV2' && type !== 'addressV2') return null;
  const queue = pubkeyAt(data, 168);
  const rootHistoryCapacity = data.readUInt32LE(252);
  const nextRoot = readLength(data, 680);
  return {
    tree,
    queue: isZero(queue) ? tree : queue,
    type,
    height: data.readUInt32LE(248),
    rootHistoryCapacity,
    owner: pubkeyAt(data, 16),
    observed: {
      slot,
      seq: data.readBigUInt64LE(232),
      nextIndex: data.readBigUInt64LE(240),
      queueEnd: type === 'addressV2' ? data.readBigUInt64LE(312) : 0n,
      root: rootAt(data, 704, (nextRoot + rootHistoryCapacity - 1) % rootHistoryCapacity),
    },
  };
}

function checked(info: TreeInfo | null): TreeInfo | null {
  if (info && (info.height < 1 || info.height > MAX_HEIGHT || info.rootHistoryCapacity < 1)) {
    throw new MalformedBytesError(`a tree of height ${info.height} with ${info.rootHistoryCapacity} roots`);
  }
  return info;
}

function readLength(data: Buffer, offset: number): number {
  return Number(data.readBigUInt64LE(offset));
}

function pubkeyAt(data: Buffer, offset: number): Pubkey {
  return Buffer.from(data.subarray(offset, offset + 32)) as Pubkey;
}

/** Null if the data do not include the root. */
function rootAt(data: Buffer, rootsOffset: number, index: number): Hash | null {
  const at = rootsOffset + 32 * index;
  return at + 32 <= data.length ? (Buffer.from(data.subarray(at, at + 32)) as Hash) : null;
}
