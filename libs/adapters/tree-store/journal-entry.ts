import { randomUUID } from 'node:crypto';
import { type Slot } from '@fresnel/domain/primitives';
import {
  type BlockAtSlot,
  type BlocksCommit,
  type EntryId,
  type PartitionState,
  type RecentBlock,
  type TreeEntry,
  type TreeStoreCommit,
} from './tree-store';

/** A commit as the journal stores it. It is accepted only on top of the entries that it names. */
export interface JournalEntry extends PartitionState {
  id: EntryId;
  partition: number;
  /** The newest entry of the partition; null: none. */
  on: EntryId | null;
  /** The offset of the partition. */
  from: bigint;
  to: bigint;
  trees: readonly TreeEntry[];
}

/** The partition that a commit was computed from. */
interface EntryOrigin extends PartitionState {
  entry: EntryId | null;
  offset: bigint | null;
}

/** Makes the entry of a commit, with a new id. */
export function entryOf(partition: number, origin: EntryOrigin, commit: TreeStoreCommit): JournalEntry {
  const { blocks, trees, to } = commit;
  return {
    id: randomUUID(),
    partition,
    on: origin.entry,
    from: origin.offset ?? 0n,
    to,
    trees,
    block: blockAfter(origin.block, commit),
    blocks: blocks?.recent ?? origin.blocks,
    hasRefused: blocks?.hasRefused ?? origin.hasRefused,
  };
}

function blockAfter(stored: BlockAtSlot | null, { block, blocks }: TreeStoreCommit): BlockAtSlot | null {
  const kept = blocks ? lowered(stored, blocks) : stored;
  return block && (!kept || block.slot > kept.slot) ? { slot: block.slot, blockhash: block.blockhash } : kept;
}

/** The block after a revert: that of the fork point. */
function lowered(stored: BlockAtSlot | null, { forkPointSlot, recent }: BlocksCommit): BlockAtSlot | null {
  if (!stored || forkPointSlot === null || forkPointSlot >= stored.slot) return stored;
  return blockAt(forkPointSlot, recent);
}

/** The block at a slot of the branch, if it is among the recent blocks. */
export function blockAt(slot: Slot, recent: readonly RecentBlock[]): BlockAtSlot {
  const block = recent.find((one) => one.slot === slot && one.state === 'admitted');
  return { slot, blockhash: block?.blockhash ?? null };
}
