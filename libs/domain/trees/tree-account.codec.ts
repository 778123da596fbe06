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
const V2_ROOTS_OFFSET = 704;

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

/** How a computed root compares with the root history of a tree account. */
export type RootComparison = 'equal' | 'different' | 'not-in-history';

/**
 * Compares a computed root with the root that a tree account has for a sequence number. The history is a ring that ends at the
 * current root. The chain clears some old roots.
 *
 * @param data the whole data of a tree account
 * @returns `different` also if the tree on the chain has not reached the sequence number
 * @throws MalformedBytesError
 */
export function compareWithHistory(data: Buffer, { seq, root }: { seq: bigint; root: Hash }): RootComparison {
  const { currentSeq, currentIndex, capacity, rootsOffset } = historyOf(complete(data));
  const age = currentSeq - seq;
  if (age < 0n) return 'different';
  if (age >= BigInt(capacity)) return 'not-in-history';
  const stored = rootAt(data, rootsOffset, (currentIndex + capacity - Number(age)) % capacity);
  if (!stored) throw new MalformedBytesError(`a tree account ends before root ${seq}`);
  if (isZero(stored)) return 'not-in-history';
  return stored.equals(root) ? 'equal' : 'different';
}

interface RootHistory {
  currentSeq: bigint;
  /** The place of the current root in the ring. */
  currentIndex: number;
  capacity: number;
  rootsOffset: number;
}

function historyOf(data: Buffer): RootHistory {
  if (data.subarray(0, 8).equals(TREE_DISCRIMINATORS.v2)) {
    const capacity = data.readUInt32LE(252);
    const currentIndex = (readLength(data, 680) + capacity - 1) % capacity;
    return { currentSeq: data.readBigUInt64LE(232), currentIndex, capacity, rootsOffset: V2_ROOTS_OFFSET };
  }
  return {
    currentSeq: data.readBigUInt64LE(248),
    currentIndex: readLength(data, 360),
    capacity: readLength(data, 336),
    rootsOffset: v1RootsOffset(data),
  };
}

function v1RootsOffset(data: Buffer): number {
  return 384 + 32 * readLength(data, 224) + V1_CHANGELOG_ENTRY_BYTES * readLength(data, 304);
}

function complete(data: Buffer): Buffer {
  if (data.length >= TREE_HEADER_BYTES) return data;
  throw new MalformedBytesError(`a tree account has only ${data.length} bytes`);
}

function parseV1(tree: Pubkey, type: TreeType, data: Buffer, slot: Slot): TreeInfo {
  const { capacity, currentIndex, rootsOffset } = historyOf(data);
  return {
    tree,
    queue: pubkeyAt(data, 160),
    type,
    height: readLength(data, 224),
    rootHistoryCapacity: capacity,
    owner: pubkeyAt(data, 8),
    observed: {
      slot,
      nextIndex: data.readBigUInt64LE(240),
      seq: data.readBigUInt64LE(248),
      queueEnd: 0n,
      inputQueueEnd: 0n,
      root: rootAt(data, rootsOffset, currentIndex),
    },
  };
}

function parseV2(tree: Pubkey, data: Buffer, slot: Slot): TreeInfo | null {
  const type = treeTypeOf(readLength(data, 8));
  if (type !== 'stateV2' && type !== 'addressV2') return null;
  const queue = pubkeyAt(data, 168);
  const nextQueued = data.readBigUInt64LE(312);
  const { capacity, currentIndex, rootsOffset } = historyOf(data);
  return {
    tree,
    queue: isZero(queue) ? tree : queue,
    type,
    height: data.readUInt32LE(248),
    rootHistoryCapacity: capacity,
    owner: pubkeyAt(data, 16),
    observed: {
      slot,
      seq: data.readBigUInt64LE(232),
      nextIndex: data.readBigUInt64LE(240),
      queueEnd: type === 'addressV2' ? nextQueued : 0n,
      inputQueueEnd: type === 'stateV2' ? nextQueued : 0n,
      root: rootAt(data, rootsOffset, currentIndex),
    },
  };
}

function checked(info: TreeInfo | null): TreeInfo | null {
  if (info && (info.height < 1 || info.height > MAX_HEIGHT || !isCapacity(info.rootHistoryCapacity))) {
    throw new MalformedBytesError(`a tree of height ${info.height} with ${info.rootHistoryCapacity} roots`);
  }
  return info;
}

/** The roots of the largest tree accounts are a few thousand. */
function isCapacity(roots: number): boolean {
  return roots >= 1 && roots < 2 ** 32;
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
