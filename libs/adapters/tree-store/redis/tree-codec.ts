import {
  BorshReader,
  HASH_BYTES,
  keyOf,
  MalformedBytesError,
  type Pubkey,
  toHash,
  toPubkey,
} from '@fresnel/domain/primitives';
import { type TreeHead, isAddressTree, requireTreeType, TREE_TYPES, type TreeInfo } from '@fresnel/domain/trees';
import { option, readProgress, readSlot, u64, writeProgress } from '../borsh-bytes';
import { type JournaledPartition } from '../tree-journal';
import { type EntryId, type PartitionState } from '../tree-store';

/** First byte of a head. */
const HEAD_VERSION = 1;

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
    writeProgress({ seen, changes }),
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
    ...readProgress(reader),
    untrusted: reader.option(() => ({ from: readSlot(reader), to: readSlot(reader) })),
    quarantineReason: reader.option(() => reader.rest().toString()),
  };
}

/** The id of an entry is text of this length. */
const ENTRY_BYTES = 36;

/** Length and text of the id of a mark before the first entry. */
const NO_ENTRY = '00000000-0000-0000-0000-000000000000';

/** A partition as readers see it: what it has applied, and the entries that its trees are at as of it. */
export interface Mark extends Omit<PartitionState, 'blocks'> {
  entry: EntryId | null;
  partitionCount: number;
  /** By `keyOf`. */
  trees: ReadonlyMap<string, { tree: Pubkey; entry: EntryId }>;
}

/** Encodes a mark. The id of its entry is first, so that a script can compare it. */
export function encodeMark(partition: JournaledPartition, partitionCount: number): Buffer {
  const { entry, block, hasRefused, trees } = partition;
  const sorted = [...trees].sort((one, other) => one.tree.compare(other.tree));
  return Buffer.concat([
    entryBytes(entry),
    u64(partitionCount),
    Buffer.of(hasRefused ? 1 : 0),
    option(block && u64(block.slot)),
    option(block?.blockhash ?? null),
    ...sorted.flatMap((one) => [one.tree, entryBytes(one.entry)]),
  ]);
}

/** The id at the start of an encoded mark, as scripts compare it. */
export function entryOfMark(mark: Buffer): Buffer {
  return mark.subarray(0, ENTRY_BYTES);
}

export function decodeMark(bytes: Buffer): Mark {
  const reader = new BorshReader(bytes);
  const entry = reader.fixed(ENTRY_BYTES).toString();
  const partitionCount = Number(reader.u64());
  const hasRefused = reader.bool();
  const slot = reader.option(() => readSlot(reader));
  const blockhash = reader.option(() => toHash(Buffer.from(reader.hash())));
  const trees = new Map<string, { tree: Pubkey; entry: EntryId }>();
  while (reader.remaining > 0) {
    const tree = toPubkey(reader.fixed(HASH_BYTES));
    trees.set(keyOf(tree), { tree, entry: reader.fixed(ENTRY_BYTES).toString() });
  }
  const block = slot === null ? null : { slot, blockhash };
  return { entry: entry === NO_ENTRY ? null : entry, partitionCount, hasRefused, block, trees };
}

function entryBytes(entry: EntryId | null): Buffer {
  return Buffer.from(entry ?? NO_ENTRY);
}
