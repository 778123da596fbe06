import { BranchUndecidedError } from '@fresnel/adapters/prover-client';
import { partitionOfTree } from '@fresnel/contracts/messages';
import { type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type TreeHead, unservableReasonOf } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { type TreeWriterMetrics } from './prover.metrics';

/** A partition of `tree-updates` among those of the topic. */
export interface Partition {
  partition: number;
  partitionCount: number;
  /** Whether it has refused blocks. */
  hasRefused: boolean;
}

const BRANCH_UNDECIDED = { code: 'branch-undecided', message: new BranchUndecidedError().message } as const;

/** Reports the status of the trees whose partitions this process has claimed. */
export class TreeStatusReporter {
  /** The last logged status of each tree by partition: `served`, or why its proofs are refused. */
  private readonly logged = new Map<number, Map<string, string>>();

  constructor(
    private readonly acceptTreeGaps: boolean,
    private readonly logger: Logger,
    private readonly metrics: TreeWriterMetrics,
  ) {}

  /**
   * Updates the metrics of the trees of a partition, and logs when a tree becomes unservable or servable again.
   *
   * @param slot up to which trees are applied; null: not known yet
   */
  report(of: Partition, heads: readonly TreeHead[], slot: Slot | null): void {
    const { partition, partitionCount } = of;
    if (slot === null) return;
    const logged = this.logged.get(partition) ?? new Map<string, string>();
    this.logged.set(partition, logged);
    for (const head of heads) {
      if (partitionOfTree(head.info.tree, partitionCount) === partition)
        this.reportTree(logged, head, slot, of.hasRefused);
    }
  }

  /** Whether the trees of a partition were reported since it was claimed. Without a slot they are not. */
  isReported(partition: number): boolean {
    return this.logged.has(partition);
  }

  /** Removes the metrics of a partition that another process may have claimed. */
  release(partition: number): void {
    this.metrics.slot.remove({ partition });
    for (const tree of this.logged.get(partition)?.keys() ?? []) {
      this.metrics.isServed.remove({ tree });
      this.metrics.seq.remove({ tree });
    }
    this.logged.delete(partition);
  }

  private reportTree(logged: Map<string, string>, head: TreeHead, slot: Slot, hasRefused: boolean): void {
    const tree = toBase58(head.info.tree);
    const reason = unservableReasonOf(head, slot, this.acceptTreeGaps) ?? (hasRefused ? BRANCH_UNDECIDED : null);
    const status = reason?.code ?? 'served';
    this.metrics.isServed.set({ tree }, reason ? 0 : 1);
    this.metrics.seq.set({ tree }, Number(head.seq));
    const before = logged.get(tree) ?? 'served';
    logged.set(tree, status);
    if (before === status) return;
    const { quarantineReason } = head;
    const values = { tree, slot, seq: head.seq.toString(), reason: reason?.message, quarantineReason };
    if (!reason) this.logger.info(values, 'tree is servable again');
    else if (reason.code === 'quarantined') this.logger.error(values, 'tree is quarantined');
    else this.logger.warn(values, 'tree is unservable');
  }
}
