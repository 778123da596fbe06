import { type BlockAtSlot, type BlocksCommit, type TreeEntry } from '@fresnel/adapters/tree-store';
import {
  type PublishedUpdate,
  type SlotReverted,
  type TreeUpdatesMessage,
  type Watermark,
} from '@fresnel/contracts/messages';
import { type BlockLink, type BlockRef, blockRefOf } from '@fresnel/domain/chain';
import { keyOf, type Pubkey, type Slot, toSlot, type TreeHasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { revertBlocks } from './revert-blocks';
import { TreeWriter } from './tree.writer';
import { type BlockRecord, RecentBlocks } from './recent-blocks';
import { type RootCheck } from './root-checks';
import { type BatchReads } from './stage-clock';
import { StagedTree } from './staged-tree';

/** The result of a batch, to be committed. */
export interface BatchOutcome {
  trees: TreeEntry[];
  /** The newest watermark of the batch on the current branch; null if there is none. */
  block: BlockAtSlot | null;
  blocks: BlocksCommit;
  /** The blocks of skipped records: orphaned blocks. */
  skippedRecords: BlockLink[];
  /** The blocks of refused records: blocks of another branch than the trees follow. */
  refusedRecords: BlockLink[];
  /** One for each root that was computed. */
  rootChecks: RootCheck[];
}

/**
 * Applies the records of one batch, in their order.
 *
 * ```
 *  update 100   update 101   watermark 101 │ reverted 101   reverted 100 │ update 100'   watermark 100'
 *  ───────── one writer per tree ───────── │ ─── revert in all trees ─── │ ─── one writer per tree ───
 * ```
 *
 * Most batches have no reverts, so each tree has one writer.
 */
export class PartitionBatch {
  private readonly recent: RecentBlocks;
  private readonly trees = new Map<string, StagedTree>();
  /** Pending updates, by tree. */
  private updates = new Map<string, TreeUpdate[]>();
  /** Blocks whose revert is pending. */
  private orphaned: BlockRef[] = [];
  private forkPointSlot: Slot | null = null;
  private block: BlockAtSlot | null = null;
  private readonly skippedRecords: BlockLink[] = [];
  private readonly refusedRecords: BlockLink[] = [];
  private readonly rootChecks: RootCheck[] = [];

  constructor(
    private readonly partition: BatchReads,
    private readonly hasher: TreeHasher,
    private readonly acceptGaps: boolean,
  ) {
    this.recent = new RecentBlocks(partition.blocks);
  }

  async apply(messages: readonly TreeUpdatesMessage[]): Promise<BatchOutcome> {
    for (const message of messages) {
      if (message.kind === 'slot-reverted') await this.applyUpdates();
      else await this.revertOrphaned();
      this.add(message);
    }
    await this.revertOrphaned();
    await this.applyUpdates();
    const { all, hasRefused } = this.recent;
    return {
      trees: [...this.trees.values()].flatMap(({ commit }) => (commit ? [commit] : [])),
      block: this.block,
      blocks: { recent: all, forkPointSlot: this.forkPointSlot, hasRefused },
      skippedRecords: this.skippedRecords,
      refusedRecords: this.refusedRecords,
      rootChecks: this.rootChecks,
    };
  }

  private add(message: TreeUpdatesMessage): void {
    switch (message.kind) {
      case 'update':
        this.addUpdate(message);
        break;
      case 'watermark':
        this.addWatermark(message);
        break;
      case 'slot-reverted':
        this.markOrphaned(message);
        break;
      case 'slot-adopted':
        this.recent.markAdopted(message);
    }
  }

  private isOnBranch(record: BlockRecord): boolean {
    const admission = this.recent.admit(record);
    if (admission === 'skipped') this.skippedRecords.push(record.block);
    if (admission === 'refused') this.refusedRecords.push(record.block);
    return admission === 'applied';
  }

  private addWatermark(watermark: Watermark): void {
    if (!this.isOnBranch({ block: watermark, ...watermark, isRepublished: false })) return;
    if (this.block === null || watermark.slot > this.block.slot) this.block = blockRefOf(watermark);
  }

  private addUpdate(message: PublishedUpdate): void {
    const { update } = message;
    // The watermark of the block says whether it changes other trees.
    const changesTrees = update.changes.length > 0;
    if (!this.isOnBranch({ block: update, ...message, changesTrees })) return;
    const key = keyOf(update.tree.tree);
    const updates = this.updates.get(key);
    if (updates) updates.push(update);
    else this.updates.set(key, [update]);
  }

  private async applyUpdates(): Promise<void> {
    const series = [...this.updates.values()];
    this.updates = new Map();
    await Promise.all(series.map((updates) => this.applyToTree(updates)));
  }

  /** @param updates of one tree */
  private async applyToTree(updates: readonly TreeUpdate[]): Promise<void> {
    const tree = await this.openTree(updates[0].tree.tree);
    const onRoot = (check: RootCheck) => this.rootChecks.push(check);
    tree.stage(await TreeWriter.apply(updates, tree, this.hasher, this.acceptGaps, onRoot));
  }

  private markOrphaned(message: SlotReverted): void {
    const orphaned = this.recent.markOrphaned(message);
    if (orphaned.length === 0) return;
    this.orphaned.push(...orphaned);
    // Not the slot before the orphaned block: the new branch may have a block there that is not published yet.
    const { tip } = this.recent;
    const slot = tip?.slot ?? message.forkPoint?.slot ?? toSlot(Math.max(message.slot - 1, 0));
    if (this.forkPointSlot === null || slot < this.forkPointSlot) this.forkPointSlot = slot;
    if (this.block && this.block.slot > slot) this.block = tip && blockRefOf(tip);
  }

  private async revertOrphaned(): Promise<void> {
    if (this.orphaned.length === 0) return;
    for (const key of this.listTrees()) {
      const tree = await this.openTree(key);
      const commit = await revertBlocks(this.orphaned, tree, this.hasher, this.acceptGaps);
      if (commit) tree.stage(commit);
    }
    this.orphaned = [];
  }

  /** All trees of the partition, including those that this batch created. */
  private listTrees(): Pubkey[] {
    const trees = new Map(this.partition.trees.map((tree) => [keyOf(tree), tree]));
    for (const { commit } of this.trees.values()) {
      if (commit) trees.set(keyOf(commit.head.info.tree), commit.head.info.tree);
    }
    return [...trees.values()];
  }

  private async openTree(tree: Pubkey): Promise<StagedTree> {
    const key = keyOf(tree);
    const staged = this.trees.get(key) ?? new StagedTree(await this.partition.openTree(tree));
    this.trees.set(key, staged);
    return staged;
  }
}
