import {
  BorshReader,
  type Hash,
  HASH_BYTES,
  MalformedBytesError,
  type Slot,
  toHash,
  toPubkey,
  toSlot,
  u64ToLittleEndian,
} from '@fresnel/domain/primitives';
import {
  type TreeHead,
  type IndexedElement,
  isAddressTree,
  PAGE_BYTES,
  type PageId,
  type QueuedNullifier,
  requireTreeType,
  TREE_TYPES,
  type TreeInfo,
} from '@fresnel/domain/trees';

/** First byte of a head. */
const HEAD_VERSION = 1;

/** Size of positions and page ids: big-endian, so that bytes sort like the numbers. */
export const NUMBER_BYTES = 8;
/** value (32) · leaf index (8) · next index (8) · next value (32) */
export const ELEMENT_BYTES = 2 * HASH_BYTES + 2 * NUMBER_BYTES;

/**
 * Formats an epoch, an offset or a slot as text that sorts like the numbers. Numbers in Lua are exact only up to 2^53.
 */
export function padded(value: bigint | number): string {
  return String(value).padStart(20, '0');
}

export function parsePadded(text: Buffer): bigint {
  return BigInt(text.toString());
}

/** @returns null for an empty text */
export function parsePaddedSlot(text: Buffer): Slot | null {
  return text.length === 0 ? null : toSlot(Number(parsePadded(text)));
}

export function sortableBytes(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** Encodes a member of the sorted set of elements. It starts with the value, by which elements are found. */
export function encodeElement({ value, index, nextIndex, nextValue }: IndexedElement): Buffer {
  return Buffer.concat([value, sortableBytes(index), sortableBytes(nextIndex), nextValue]);
}

export function decodeElement(member: Buffer): IndexedElement {
  return {
    value: toHash(member.subarray(0, HASH_BYTES)),
    index: Number(member.readBigUInt64BE(HASH_BYTES)),
    nextIndex: Number(member.readBigUInt64BE(HASH_BYTES + NUMBER_BYTES)),
    nextValue: toHash(member.subarray(HASH_BYTES + 2 * NUMBER_BYTES)),
  };
}

/** id (8) · nodes (960) */
export const PAGE_RECORD_BYTES = NUMBER_BYTES + PAGE_BYTES;

export function encodePages(pages: ReadonlyMap<PageId, Buffer>): Buffer {
  return Buffer.concat([...pages].flatMap(([id, page]) => [sortableBytes(id), page]));
}

/** Encodes queued addresses or leaves by position. */
export function encodeQueued(queued: ReadonlyMap<bigint, Hash>): Buffer {
  return Buffer.concat([...queued].flatMap(([position, address]) => [sortableBytes(position), address]));
}

/** queue position (8) · leaf index (8) · account hash (32) · transaction hash (32) · nullifier (32) */
export const NULLIFIER_BYTES = 2 * NUMBER_BYTES + 3 * HASH_BYTES;

/** Encodes entries of an input queue by position. */
export function encodeNullifiers(nullifiers: ReadonlyMap<bigint, QueuedNullifier>): Buffer {
  return Buffer.concat(
    [...nullifiers].flatMap(([position, { leafIndex, hash, txHash, nullifier }]) => [
      sortableBytes(position),
      sortableBytes(leafIndex),
      hash,
      txHash,
      nullifier,
    ]),
  );
}

/** Decodes an entry of an input queue. */
export function decodeNullifier(member: Buffer): [bigint, QueuedNullifier] {
  const hashAt = (place: number) => {
    const from = 2 * NUMBER_BYTES + place * HASH_BYTES;
    return toHash(member.subarray(from, from + HASH_BYTES));
  };
  const leafIndex = Number(member.readBigUInt64BE(NUMBER_BYTES));
  const [hash, txHash, nullifier] = [0, 1, 2].map(hashAt);
  return [member.readBigUInt64BE(), { leafIndex, hash, txHash, nullifier }];
}

/** The kind of a tree, by which scripts know its keys. */
export function kindOf(info: TreeInfo): 'address' | 'state' {
  return isAddressTree(info) ? 'address' : 'state';
}

/** Encodes a head. The quarantine reason, whose length varies, is last. */
export function encodeHead(head: TreeHead): Buffer {
  const { info, seq, nextIndex, root, queueEnd, seen, quarantineReason, changes, untrusted } = head;
  const { observed } = info;
  return Buffer.concat([
    Buffer.of(HEAD_VERSION),
    info.tree,
    info.queue,
    Buffer.of(TREE_TYPES[info.type], info.height),
    u64(info.rootHistoryCapacity),
    option(info.owner),
    u64(observed.slot),
    u64(observed.seq),
    u64(observed.nextIndex),
    u64(observed.queueEnd),
    u64(observed.inputQueueEnd),
    option(observed.root),
    u64(seq),
    u64(nextIndex),
    root,
    u64(queueEnd),
    u64(head.inputQueueStart),
    u64(head.inputQueueEnd),
    u64(head.migratedSlot),
    u64(seen.seq),
    u64(seen.queueEnd),
    u64(seen.inputQueueEnd),
    u64(seen.migratedSlot),
    u64(changes.count),
    u64(changes.lastSlot),
    option(untrusted && Buffer.concat([u64(untrusted.from), u64(untrusted.to)])),
    option(quarantineReason === null ? null : Buffer.from(quarantineReason)),
  ]);
}

/** @throws MalformedBytesError for another version */
export function decodeHead(bytes: Buffer): TreeHead {
  const reader = new BorshReader(bytes);
  const version = reader.u8();
  if (version !== HEAD_VERSION) throw new MalformedBytesError(`version ${version} of a tree's head`);
  const info = {
    tree: toPubkey(reader.fixed(HASH_BYTES)),
    queue: toPubkey(reader.fixed(HASH_BYTES)),
    type: requireTreeType(reader.u8()),
    height: reader.u8(),
    rootHistoryCapacity: Number(reader.u64()),
    owner: reader.option(() => reader.pubkey()),
    observed: {
      slot: readSlot(reader),
      seq: reader.u64(),
      nextIndex: reader.u64(),
      queueEnd: reader.u64(),
      inputQueueEnd: reader.u64(),
      root: reader.option(() => reader.hash()),
    },
  };
  return {
    info,
    seq: reader.u64(),
    nextIndex: Number(reader.u64()),
    root: reader.hash(),
    queueEnd: reader.u64(),
    inputQueueStart: reader.u64(),
    inputQueueEnd: reader.u64(),
    migratedSlot: readSlot(reader),
    seen: {
      seq: reader.u64(),
      queueEnd: reader.u64(),
      inputQueueEnd: reader.u64(),
      migratedSlot: readSlot(reader),
    },
    changes: { count: Number(reader.u64()), lastSlot: readSlot(reader) },
    untrusted: reader.option(() => ({ from: readSlot(reader), to: readSlot(reader) })),
    quarantineReason: reader.option(() => reader.rest().toString()),
  };
}

function readSlot(reader: BorshReader): Slot {
  return toSlot(Number(reader.u64()));
}

function u64(value: bigint | number): Buffer {
  return u64ToLittleEndian(BigInt(value));
}

function option(bytes: Buffer | null): Buffer {
  return bytes ? Buffer.concat([Buffer.of(1), bytes]) : Buffer.of(0);
}
