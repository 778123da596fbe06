import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type NamedBranch } from '@fresnel/contracts/messages';
import {
  blockKey,
  type BlockLink,
  type BlockRef,
  blockRefOf,
  isAttested,
  isSameBlock,
  isSparse,
  MAX_FORK_DEPTH,
  parentOf,
} from '@fresnel/domain/chain';

/** A block and the silent blocks that it names at most. Before them the branch may have a gap. */
const MAX_ADMITTED = MAX_FORK_DEPTH + 1;
/** Enough for the duplicate records of several forks. */
const MAX_ORPHANED = 256;
/** Refused blocks that are stored: the first ones, which are the nearest to the fork. */
const MAX_REFUSED = 256;

/** What a record says about its block. */
export interface BlockRecord extends NamedBranch {
  block: BlockLink;
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
 * Most blocks that change no tree have no record. So a branch is followed from one block that changes a tree to the next, which
 * names the blocks between them.
 */
export class RecentBlocks {
  /** Oldest first: the newest blocks, linked, and the newest one before them that changes a tree. */
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
    if (this.isOrphaned(record)) return 'skipped';
    const [oldest, tip] = [this.admitted.at(0), this.admitted.at(-1)];
    const isOld = oldest !== undefined && block.slot < oldest.slot;
    const isFinal = isOld || (tip !== undefined && isAttested(block) && block.slot <= tip.slot);
    if (record.isRepublished) return isFinal ? 'applied' : 'ignored';
    if (isFinal) return 'ignored';
    if (!this.isLinked(record)) return this.refuse(record);
    if (!tip || block.slot > tip.slot) return this.append(record);
    // A block without changes may have a record of one ingest, and none of another that is ahead.
    return record.changesTrees ? this.refuse(record) : 'ignored';
  }

  /**
   * Marks a block as orphaned. It and the blocks after it are removed from the branch: they were applied on top of it. Refused blocks may
   * be right then, so they are forgotten: ingest publishes the blocks above the fork point again.
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
    const removed = this.admitted.splice(at);
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

  /** Whether a block is orphaned, or descends from an orphaned block that it names. */
  private isOrphaned({ block, silentBlocks }: BlockRecord): boolean {
    if (this.orphaned.has(blockKey(block))) return true;
    if (![parentOf(block), ...silentBlocks].some((each) => this.orphaned.has(blockKey(each)))) return false;
    this.refused.delete(blockKey(block));
    this.addOrphaned(block);
    return true;
  }

  /**
   * Whether the trees have all changes before the block, and no others. Attested blocks arrive in the order of their slots, and
   * have no branches.
   */
  private isLinked({ block, previousChange }: BlockRecord): boolean {
    const { tip } = this;
    if (!tip) return true;
    if (isAttested(block)) return isSparse(tip);
    const before = this.admitted.findLast(({ slot, changesTrees }) => changesTrees && slot < block.slot);
    if (!before || !previousChange) return !before && !previousChange;
    return isSameBlock(before, previousChange);
  }

  /** Silent blocks after the newest change that the record does not name are of another branch. They changed nothing. */
  private append({ block, previousChange, silentBlocks, changesTrees }: BlockRecord): Admission {
    const { slot, blockhash, parentSlot } = block;
    const admit = (each: BlockRef, changes: boolean, parent?: BlockRef) =>
      ({ ...blockRefOf(each), parentSlot: parent?.slot ?? null, state: 'admitted', changesTrees: changes }) as const;
    const newestChange = this.admitted.findLastIndex((each) => each.changesTrees);
    // Before the first record of a partition the named blocks are not known otherwise.
    const before =
      this.admitted.length === 0 && previousChange
        ? [admit(previousChange, true)]
        : this.admitted.slice(0, newestChange + 1);
    const branch: RecentBlock[] = [
      ...before,
      ...silentBlocks.map((each, at) => admit(each, false, at > 0 ? silentBlocks[at - 1] : undefined)),
      { slot, blockhash, parentSlot, state: 'admitted', changesTrees },
    ];
    const older = branch.slice(0, -MAX_ADMITTED).findLast((each) => each.changesTrees);
    this.admitted = [...(older ? [older] : []), ...branch.slice(-MAX_ADMITTED)];
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
