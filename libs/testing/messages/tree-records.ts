import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { blockKey, type BlockLink, blockLinkOf, type BlockRef, blockRefOf, parentOf } from '@fresnel/domain/chain';
import { changesTrees, foldTreeChanges, type SlotEvents, type TreeUpdate } from '@fresnel/domain/state';

/** The newest block that changes a tree, before a block and up to it. */
interface NamedChanges {
  before: BlockRef | null;
  upTo: BlockRef | null;
}

/**
 * Builds the records of `tree-updates` that ingest publishes for blocks. A block follows its parent, or the block before it if the
 * parent is unknown.
 */
export class TreeRecords {
  /** By `blockKey`. */
  private readonly named = new Map<string, NamedChanges>();
  private newestChange: BlockRef | null = null;

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
    const previousChange = this.findBefore(block);
    this.newestChange = changesTrees ? blockRefOf(block) : previousChange;
    this.named.set(blockKey(block), { before: previousChange, upTo: this.newestChange });
    return [
      ...updates.map((update): TreeUpdatesMessage => ({
        kind: 'update',
        update: { ...update, ...blockLinkOf(block) },
        previousChange,
        isRepublished: false,
      })),
      { kind: 'watermark', ...blockLinkOf(block), previousChange, changesTrees },
    ];
  }

  /** Continues after a block: the next block without a known parent follows it. */
  after(block: BlockRef): void {
    this.newestChange = this.named.get(blockKey(block))?.upTo ?? null;
  }

  private findBefore(block: BlockLink): BlockRef | null {
    const known = this.named.get(blockKey(block));
    if (known) return known.before;
    const parent = this.named.get(blockKey(parentOf(block)));
    return parent ? parent.upTo : this.newestChange;
  }
}
