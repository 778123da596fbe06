import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { blockKey, type BlockLink, type BlockRef, blockRefOf, isSameBlock, parentOf } from '@fresnel/domain/chain';

/** More blocks than a fork may orphan. */
const MAX_ADMITTED = 64;
/** Enough for the duplicate records of several forks. */
const MAX_ORPHANED = 256;
/** Refused blocks that are stored: the first ones, which are the nearest to the fork. */
const MAX_REFUSED = 256;

/** What a record says about its block. */
export interface BlockRecord {
  block: BlockLink;
  /** The newest earlier block of the same branch that changes a tree; null if none is known. */
  previousChange: BlockRef | null;
  changesTrees: boolean;
  /** Whether the record belongs to a final block and may be applied at any position. */
  isRepublished: boolean;
}

/**
 * What to do with a record. `applied`: its block is on the branch of the trees. `ignored`: it changes nothing, or
 * is older than the trees remember. `skipped`: its block is orphaned. `refused`: its block is on another branch than the trees.
 */
export type Admission = 'applied' | 'ignored' | 'skipped' | 'refused';

/**
 * The recent blocks of a partition: the branch that its trees follow, orphaned blocks, and refused blocks.
 *
 * ```
 *  admitted    100 ── 101 ── 102 ── 103      a new block names the newest one before it that changes a tree: 103
 *  orphaned     └ 101' ── 102'               their records, and those of their children, are skipped
 *  refused                 └ 103" ── 104"    103" names 101, or 104" names 103": they are on a branch that the trees do not follow
 * ```
 *
 * Most blocks that change no tree have no record. So a branch is followed from one block that changes a tree to the next.
 */
export class RecentBlocks {
  /** Oldest first: the newest blocks, and the newest one before them that changes a tree. */
  private admitted: RecentBlock[];
  /** By `blockKey`, oldest first. */
  private readonly orphaned: Map<string, RecentBlock>;
  /** By `blockKey`, in the order of their records. */
  private readonly refused: Map<string, RecentBlock>;

  /** @param blocks in the order of `all` */
  constructor(blocks: readonly RecentBlock[]) {
    this.admitted = blocks.filter(({ state }) => state === 'admitted');
    const byKey = (of: RecentBlock['state']) =>
      new Map(blocks.filter(({ state }) => state === of).map((block) => [blockKey(block), block] as const));
    this.orphaned = byKey('orphaned');
    this.refused = byKey('refused');
  }

  /** The newest admitted block; null if there is none. */
  get tip(): BlockRef | null {
    return this.admitted.at(-1) ?? null;
  }

  /** Whether blocks of another branch were refused, and no revert has decided yet which branch is orphaned. */
  get hasRefused(): boolean {
    return this.refused.size > 0;
  }

  /** The blocks to store with the partition. */
  get all(): RecentBlock[] {
    return [...this.orphaned.values(), ...this.refused.values(), ...this.admitted];
  }

  /** Decides on a record. A block that continues the branch is added to it. A block of another branch is stored as refused. */
  admit(record: BlockRecord): Admission {
    const { block } = record;
    if (this.isRepeated(record)) return 'applied';
    if (this.isOrphaned(block)) return 'skipped';
    const [oldest, tip] = [this.admitted.at(0), this.admitted.at(-1)];
    const isOld = oldest !== undefined && block.slot < oldest.slot;
    if (record.isRepublished) return isOld ? 'applied' : 'ignored';
    if (isOld) return 'ignored';
    if (!this.isLinked(record)) return this.refuse(record);
    if (!tip || block.slot > tip.slot) return this.append(record);
    // A block without changes may have a record of one ingest, and none of another that is ahead.
    return record.changesTrees ? this.refuse(record) : 'ignored';
  }

  /**
   * Marks a block as orphaned. If it changes a tree, it and the blocks after it are removed from the branch: they were applied on
   * top of it. Refused blocks may be right then, so they are forgotten: ingest publishes the blocks above the fork point again.
   *
   * @returns the blocks that the trees have to revert, newest first: those that are removed from the branch; the block alone if the
   * branch is unknown, or if the block is newer than the branch, like a block without changes and without a watermark. Such a block
   * changed no tree, but a tree account may have been read at it.
   */
  markOrphaned(block: BlockRef): BlockRef[] {
    const key = blockKey(block);
    this.refused.delete(key);
    const wasOrphaned = this.orphaned.has(key);
    this.addOrphaned({ ...blockRefOf(block), parentSlot: null });
    if (wasOrphaned) return [];
    const at = this.admitted.findIndex((other) => isSameBlock(other, block));
    if (at < 0) return this.tip === null || block.slot > this.tip.slot ? [block] : [];
    const removed = this.admitted.splice(at, this.admitted[at].changesTrees ? Infinity : 1);
    this.refused.clear();
    return removed.reverse();
  }

  /** Forgets that a block is orphaned, and the descendants that are orphaned because of it. Their records are admitted again. */
  markAdopted(block: BlockRef): void {
    this.orphaned.delete(blockKey(block));
    for (const [key, { slot, parentSlot }] of this.orphaned) {
      if (parentSlot !== null && slot > block.slot) this.orphaned.delete(key);
    }
  }

  /** Whether a block is on the branch already. The records of one block differ in what they know of its changes. */
  private isRepeated({ block, changesTrees }: BlockRecord): boolean {
    const at = this.admitted.findLastIndex((other) => isSameBlock(other, block));
    if (at < 0) return false;
    if (changesTrees) this.admitted[at] = { ...this.admitted[at], changesTrees };
    return true;
  }

  /** Whether a block is orphaned, or the child of an orphaned block. */
  private isOrphaned(block: BlockLink): boolean {
    if (this.orphaned.has(blockKey(block))) return true;
    if (!this.orphaned.has(blockKey(parentOf(block)))) return false;
    this.refused.delete(blockKey(block));
    this.addOrphaned(block);
    return true;
  }

  /** Whether the trees have all changes before the block, and no others. */
  private isLinked({ block, previousChange }: BlockRecord): boolean {
    if (this.admitted.length === 0) return true;
    const before = this.admitted.findLast(({ slot, changesTrees }) => changesTrees && slot < block.slot);
    if (!before || !previousChange) return !before && !previousChange;
    return isSameBlock(before, previousChange);
  }

  private append({ block, previousChange, changesTrees }: BlockRecord): Admission {
    const { slot, blockhash, parentSlot } = block;
    // The first record of a partition. The block before it is not known otherwise.
    if (this.admitted.length === 0 && previousChange) {
      this.admitted.push({ ...blockRefOf(previousChange), parentSlot: null, state: 'admitted', changesTrees: true });
    }
    const older = this.admitted.slice(0, 1 - MAX_ADMITTED).findLast((each) => each.changesTrees);
    const kept = this.admitted.slice(1 - MAX_ADMITTED);
    this.admitted = [
      ...(older ? [older] : []),
      ...kept,
      { slot, blockhash, parentSlot, state: 'admitted', changesTrees },
    ];
    this.refused.delete(blockKey(block));
    // Those without changes have no further record, if ingest publishes their blocks again.
    for (const [key, refused] of this.refused) {
      if (!refused.changesTrees && refused.slot <= slot) this.refused.delete(key);
    }
    return 'applied';
  }

  private refuse({ block, changesTrees }: BlockRecord): Admission {
    const key = blockKey(block);
    const { slot, blockhash, parentSlot } = block;
    const known = this.refused.get(key);
    const hasChanges = changesTrees || known?.changesTrees === true;
    if (known || this.refused.size < MAX_REFUSED) {
      this.refused.set(key, { slot, blockhash, parentSlot, state: 'refused', changesTrees: hasChanges });
    }
    return 'refused';
  }

  private addOrphaned({ slot, blockhash, parentSlot }: Pick<RecentBlock, 'slot' | 'blockhash' | 'parentSlot'>): void {
    this.orphaned.set(blockKey({ slot, blockhash }), {
      slot,
      blockhash,
      parentSlot,
      state: 'orphaned',
      changesTrees: false,
    });
    for (const oldest of this.orphaned.keys()) {
      if (this.orphaned.size <= MAX_ORPHANED) return;
      this.orphaned.delete(oldest);
    }
  }
}
