import { type NamedBranch, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import {
  blockKey,
  type BlockLink,
  blockLinkOf,
  type BlockRef,
  blockRefOf,
  MAX_FORK_DEPTH,
  parentOf,
} from '@fresnel/domain/chain';
import { changesTrees, foldTreeChanges, type SlotEvents, type TreeUpdate } from '@fresnel/domain/state';

/**
 * Builds the records of `tree-updates` that ingest publishes for blocks. A block follows its parent, or the block before it if the
 * parent is unknown.
 */
export class TreeRecords {
  /** By `blockKey`. */
  private readonly named = new Map<string, { before: NamedBranch; upTo: NamedBranch }>();
  private newest: NamedBranch = { previousChange: null, silentBlocks: [] };

  /** The records of a block with events. */
  ofSlot(events: SlotEvents): TreeUpdatesMessage[] {
    return this.of(events, foldTreeChanges(events), changesTrees(events));
  }

  /** The records of a block that changes the trees of updates. */
  of(
    block: BlockLink,
    updates: readonly TreeUpdate[] = [],
    changesTrees = updates.some(({ changes }) => changes.length > 0),
  ): TreeUpdatesMessage[] {
    const before = this.findBefore(block);
    this.newest = changesTrees
      ? { previousChange: blockRefOf(block), silentBlocks: [] }
      : { ...before, silentBlocks: [...before.silentBlocks, blockRefOf(block)].slice(-MAX_FORK_DEPTH) };
    this.named.set(blockKey(block), { before, upTo: this.newest });
    return [
      ...updates.map((update): TreeUpdatesMessage => ({
        kind: 'update',
        update: { ...update, ...blockLinkOf(block) },
        ...before,
        isRepublished: false,
      })),
      { kind: 'watermark', ...blockLinkOf(block), ...before, changesTrees },
    ];
  }

  /** Continues after a block: the next block without a known parent follows it. */
  after(block: BlockRef): void {
    this.newest = this.named.get(blockKey(block))?.upTo ?? { previousChange: null, silentBlocks: [] };
  }

  private findBefore(block: BlockLink): NamedBranch {
    const known = this.named.get(blockKey(block));
    if (known) return known.before;
    const parent = this.named.get(blockKey(parentOf(block)));
    return parent ? parent.upTo : this.newest;
  }
}
