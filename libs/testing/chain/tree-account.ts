import { type Hash, isZero, ZERO_HASH } from '@fresnel/domain/primitives';
import { TREE_TYPES, type TreeInfo } from '@fresnel/domain/trees';

/** Changelog entries of a V1 account. Real accounts have 1400. */
const V1_CHANGELOG_CAPACITY = 4;
const V1_CHANGELOG_ENTRY_BYTES = 872;
const V1_HEADER_BYTES = 384;
const V2_HEADER_BYTES = 704;
/** Index of the newest root in the root history. */
const ROOT_INDEX = 3;

/** The account data of a tree, with the observed root as its only root. */
export function encodeTreeAccount(info: TreeInfo): Buffer {
  return info.type === 'stateV1' || info.type === 'addressV1' ? encodeV1(info) : encodeV2(info);
}

/**
 * The account data of a tree's queue. A V2 address tree has no separate queue account.
 *
 * @param outputQueueEnd leaf index that the output queue of a V2 state tree assigns next
 */
export function encodeQueueAccount({ type, tree }: TreeInfo, outputQueueEnd = 0n): Buffer {
  const data = Buffer.alloc(1024);
  data.write(type === 'stateV1' || type === 'addressV1' ? 'a4c86c3e573f7b41' : '7175657565616363', 'hex');
  tree.copy(data, 160);
  if (type === 'stateV2') data.writeBigUInt64LE(outputQueueEnd, 280);
  return data;
}

const CELLS_OFFSET = 256;
const CELL_BYTES = 48;
const [WAITING, NULLIFIED, EMPTY] = [0n, 1n, 2n];

/**
 * The account data of a V1 nullifier queue.
 *
 * @param waiting accounts that are spent, and whose leaves are not nullified yet
 * @param nullified accounts whose cells are not used again yet
 */
export function encodeNullifierQueueAccount(
  info: TreeInfo,
  waiting: readonly Hash[],
  nullified: readonly Hash[] = [],
): Buffer {
  const cells = [
    ...nullified.map((hash) => [NULLIFIED, hash] as const),
    [EMPTY, ZERO_HASH] as const,
    ...waiting.map((hash) => [WAITING, hash] as const),
  ];
  const data = Buffer.alloc(CELLS_OFFSET + CELL_BYTES * cells.length);
  encodeQueueAccount(info).copy(data, 0, 0, CELLS_OFFSET);
  data.writeBigUInt64LE(1n, 224);
  data.writeBigUInt64LE(BigInt(cells.length), 232);
  for (const [at, [tag, hash]] of cells.entries()) {
    const cell = CELLS_OFFSET + CELL_BYTES * at;
    data.writeBigUInt64LE(tag, cell);
    hash.copy(data, cell + 16);
  }
  return data;
}

function encodeV1({ type, queue, owner, height, rootHistoryCapacity, observed }: TreeInfo): Buffer {
  const roots = V1_HEADER_BYTES + 32 * height + V1_CHANGELOG_ENTRY_BYTES * V1_CHANGELOG_CAPACITY;
  const data = Buffer.alloc(roots + 32 * rootHistoryCapacity);
  data.write(type === 'stateV1' ? 'ac2bacba1d49db54' : '0ba1af09d4e54949', 'hex');
  (owner ?? ZERO_HASH).copy(data, 8);
  queue.copy(data, 160);
  data.writeBigUInt64LE(BigInt(height), 224);
  data.writeBigUInt64LE(observed.nextIndex, 240);
  data.writeBigUInt64LE(observed.seq, 248);
  data.writeBigUInt64LE(BigInt(V1_CHANGELOG_CAPACITY), 304);
  data.writeBigUInt64LE(BigInt(rootHistoryCapacity), 336);
  data.writeBigUInt64LE(BigInt(ROOT_INDEX), 360);
  (observed.root ?? ZERO_HASH).copy(data, roots + 32 * ROOT_INDEX);
  return data;
}

function encodeV2({ type, tree, queue, owner, height, rootHistoryCapacity, observed }: TreeInfo): Buffer {
  const data = Buffer.alloc(V2_HEADER_BYTES + 32 * rootHistoryCapacity);
  data.write('BatchMta', 'latin1');
  data.writeBigUInt64LE(BigInt(TREE_TYPES[type]), 8);
  (owner ?? ZERO_HASH).copy(data, 16);
  if (!queue.equals(tree) && !isZero(queue)) queue.copy(data, 168);
  data.writeBigUInt64LE(observed.seq, 232);
  data.writeBigUInt64LE(observed.nextIndex, 240);
  data.writeUInt32LE(height, 248);
  data.writeUInt32LE(rootHistoryCapacity, 252);
  data.writeBigUInt64LE(observed.queueEnd, 312);
  data.writeBigUInt64LE(BigInt(ROOT_INDEX + 1), 680);
  (observed.root ?? ZERO_HASH).copy(data, V2_HEADER_BYTES + 32 * ROOT_INDEX);
  return data;
}
