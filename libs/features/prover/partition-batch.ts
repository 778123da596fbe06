import { type BlocksCommit, type RecentBlock, type TreeCommit } from '@fresnel/adapters/tree-store';
import {
  partitionOfTree,
  type SlotReverted,
  type TreeUpdatesMessage,
  type Watermark,
} from '@fresnel/contracts/messages';
import { type BlockLink } from '@fresnel/domain/chain';
import { keyOf, type Pubkey, type Slot, toSlot, type TreeHasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { revertBlocks } from './revert-blocks';
import { TreeWriter } from './tree.writer';
import { RecentBlocks } from './recent-blocks';
import { type RootCheck } from './root-checks';
import { type BatchReads } from './stage-clock';
import { StagedTree } from './staged-tree';

/** The partition of a batch, and its state before the batch. */
export interface BatchOrigin {
  partition: number;
  partitionCount: number;
  /** The recent blocks after the previous batch. */
  recent: readonly RecentBlock[];
}

/** The result of a batch, to be committed. */
export interface BatchOutcome {
  trees: TreeCommit[];
  /** The newest watermark of the batch on the current branch; null if there is none. */
  slot: Slot | null;
  blocks: BlocksCommit;
  /** The blocks of skipped records: blocks that are not on the branch of the trees. */
  skippedRecords: BlockLink[];
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
  private orphaned: SlotReverted[] = [];
  private forkPointSlot: Slot | null = null;
  private slot: Slot | null = null;
  private readonly skippedRecords: BlockLink[] = [];
  private readonly rootChecks: RootCheck[] = [];

  constructor(
    private readonly origin: BatchOrigin,
    private readonly store: BatchReads,
    private readonly hasher: TreeHasher,
    private readonly acceptGaps: boolean,
  ) {
    this.recent = new RecentBlocks(origin.recent);
  }

  async apply(messages: readonly TreeUpdatesMessage[]): Promise<BatchOutcome> {
    for (const message of messages) {
      if (message.kind === 'slot-reverted') {
        await this.applyUpdates();
        this.markOrphaned(message);
        continue;
      }
      await this.revertOrphaned();
      if (message.kind === 'update') this.addUpdate(message.update);
      else this.addWatermark(message);
    }
    await this.revertOrphaned();
    await this.applyUpdates();
    return {
      trees: [...this.trees.values()].flatMap(({ commit }) => (commit ? [commit] : [])),
      slot: this.slot,
      blocks: { recent: this.recent.all, forkPointSlot: this.forkPointSlot },
      skippedRecords: this.skippedRecords,
      rootChecks: this.rootChecks,
    };
  }

  private isOnBranch(block: BlockLink): boolean {
    const isAdmitted = this.recent.admit(block);
    if (!isAdmitted) this.skippedRecords.push(block);
    return isAdmitted;
  }

  private addWatermark({ silent, ...block }: Watermark): void {
    for (const link of silent) this.recent.admit(link);
    if (this.isOnBranch(block) && (this.slot === null || block.slot > this.slot)) this.slot = block.slot;
  }

  private addUpdate(update: TreeUpdate): void {
    if (!this.isOnBranch(update)) return;
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
    const tree = this.stagedTree(updates[0].tree.tree);
    const onRoot = (check: RootCheck) => this.rootChecks.push(check);
    tree.stage(await TreeWriter.apply(updates, tree, this.hasher, this.acceptGaps, onRoot));
  }

  private markOrphaned(message: SlotReverted): void {
    if (!this.recent.markOrphaned(message)) return;
    this.orphaned.push(message);
    // Not the slot before the orphaned block: the new branch may have a block there that is not published yet.
    const tip = this.recent.tip ?? message.forkPoint?.slot ?? toSlot(Math.max(message.slot - 1, 0));
    if (this.forkPointSlot === null || tip < this.forkPointSlot) this.forkPointSlot = tip;
    if (this.slot !== null && this.slot > tip) this.slot = tip;
  }

  private async revertOrphaned(): Promise<void> {
    if (this.orphaned.length === 0) return;
    for (const key of await this.listTreeKeys()) {
      const tree = this.stagedTree(key);
      const commit = await revertBlocks(key, this.orphaned, tree, this.hasher, this.acceptGaps);
      if (commit) tree.stage(commit);
    }
    this.orphaned = [];
  }

  /** All trees of the partition, including those that this batch created. */
  private async listTreeKeys(): Promise<Pubkey[]> {
    const { partition, partitionCount } = this.origin;
    const heads = await this.store.listHeads();
    for (const { commit } of this.trees.values()) if (commit) heads.push(commit.head);
    const trees = new Map(heads.map(({ info }) => [keyOf(info.tree), info.tree]));
    return [...trees.values()].filter((tree) => partitionOfTree(tree, partitionCount) === partition);
  }

  private stagedTree(tree: Pubkey): StagedTree {
    const key = keyOf(tree);
    let staged = this.trees.get(key);
    if (!staged) {
      staged = new StagedTree(this.store);
      this.trees.set(key, staged);
    }
    return staged;
  }
}
