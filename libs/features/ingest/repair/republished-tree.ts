import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, ForkError } from '@fresnel/adapters/chain';
import { type PostgresTreeReads, type TreeRepublication } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type BlockRef, isSameBlock, isSparse } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { countMigratedLeaves, foldTreeChanges, type KnownUpdate } from '@fresnel/domain/state';
import { type TreeHead, hasMissingOperations } from '@fresnel/domain/trees';
import { AppliedBranches } from './applied-branches';
import { type SlotReader } from '../read/slot.reader';

/** What publishing the operations of a tree again requires. */
export interface RepublicationParts {
  /** The trees as provers have stored them. */
  trees: Pick<PostgresTreeReads, 'listHeads' | 'listPartitions'>;
  source: Pick<BlockSource, 'blocksFrom'>;
  bus: Pick<Bus, 'publish' | 'waitUntilApplied'>;
  reader: Pick<SlotReader, 'read'>;
}

/**
 * `publishing`: there are further slots. `waiting`: all blocks that provers have applied are published, or the node has others.
 * `complete`: the tree lacks nothing. `stalled`: it lacks operations before the first slot. `quarantined`: it applies nothing.
 */
export type RepublicationState = 'publishing' | 'waiting' | 'complete' | 'stalled' | 'quarantined';

/** Blocks that are published before the tree is looked at. Sparse ones are read by the page. */
const BLOCKS_PER_STEP = 64;
const SPARSE_BLOCKS_PER_STEP = 1_000;

/**
 * A tree whose operations are published again.
 *
 * ```
 *  tree          … 7   8   ·   ·   ·   12  13             8 is applied, 9 to 11 are missing, so 12 and 13 were not applied
 *  published         7   8   9   10  11  12  13  14       until the tree has what ingest publishes meanwhile: 14
 * ```
 *
 * Only blocks that provers have on their branch are published, so that this is never ahead of the ingest that follows the chain.
 * After a fork it continues at the oldest block that the fork may have replaced.
 */
export class RepublishedTree {
  private next: Slot;
  private hasPublished = false;
  /** The newest block that was read for it; null before. */
  private last: BlockRef | null = null;
  private branches = new AppliedBranches([]);
  /** The leaf index of the next leaf, as far as what is published tells it. */
  private leafEnd: number | null = null;

  constructor(
    private readonly request: TreeRepublication,
    private readonly parts: RepublicationParts,
  ) {
    this.next = request.fromSlot;
  }

  /** The slot at which publishing continues. */
  get nextSlot(): Slot {
    return this.next;
  }

  /**
   * Publishes the next slots, and waits until provers have applied them.
   *
   * @throws retryable errors of the node, the bus and the database: then it can be called again
   */
  async publishNext(signal: AbortSignal): Promise<RepublicationState> {
    const newest = await this.followBranches();
    const canPublish = this.next <= newest;
    if (canPublish) {
      if (!(await this.publishStep(toSlot(newest), signal))) return 'waiting';
    }
    const head = await this.findHead();
    if (head?.quarantineReason) return 'quarantined';
    const hasReached = this.next > newest;
    if (this.hasPublished && (head ? !hasMissingOperations(head) : hasReached)) return 'complete';
    if (!hasReached) return 'publishing';
    return (await this.isPublishedToEnd()) ? 'stalled' : 'waiting';
  }

  /** Reads what provers have applied. @returns their newest slot; -1 if there is none */
  private async followBranches(): Promise<number> {
    const branches = new AppliedBranches((await this.parts.trees.listPartitions()).values());
    if (!branches.contain(this.branches.tip)) {
      this.leafEnd = null;
      this.next = toSlot(Math.max(this.request.fromSlot, Math.min(this.next, branches.oldestSlot)));
    }
    this.branches = branches;
    return branches.tip?.slot ?? -1;
  }

  /** @returns false if the node has other blocks than the provers: one of them is on another branch now */
  private async publishStep(newest: Slot, signal: AbortSignal): Promise<boolean> {
    const { bus, reader } = this.parts;
    const known: KnownUpdate[] = [];
    const read = await this.readBlocks(newest, signal);
    if (!read) return false;
    const { blocks, to } = read;
    for (const block of blocks) {
      const events = await reader.read(block, signal);
      const isWhole = events.deadLetters.length === 0;
      const ofTree = foldTreeChanges(events).filter(({ tree }) => tree.tree.equals(this.request.tree));
      known.push(...ofTree.map((update) => ({ update, isWhole })));
    }
    const { updates, end } = countMigratedLeaves(known, this.leafEnd);
    if (!updates.every((update) => this.branches.contain(update))) return false;
    if (updates.length > 0) {
      const messages = updates.map((update): TreeUpdatesMessage => ({
        kind: 'update',
        update,
        previousChange: null,
        silentBlocks: [],
        isRepublished: true,
      }));
      await bus.publish(TREE_UPDATES, messages, signal);
      await bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, signal);
    }
    this.next = toSlot(to + 1);
    this.last = blocks.at(-1) ?? this.last;
    this.leafEnd = end;
    this.hasPublished = true;
    return true;
  }

  /**
   * Reads the next blocks along their parent links, so that none is omitted because a node calls its slot skipped.
   *
   * @returns with the slot up to which they are all; null if the blocks of the node are not linked now
   */
  private async readBlocks(newest: Slot, signal: AbortSignal): Promise<{ blocks: Block[]; to: Slot } | null> {
    const blocks: Block[] = [];
    let to = newest;
    try {
      for await (const block of this.parts.source.blocksFrom(this.next, signal, await this.findAccounts())) {
        if (block.slot <= newest) blocks.push(block);
        const isFull = blocks.length >= (isSparse(block) ? SPARSE_BLOCKS_PER_STEP : BLOCKS_PER_STEP);
        if (isFull && block.slot < newest) to = block.slot;
        if (isFull || block.slot >= newest) break;
      }
    } catch (error) {
      if (error instanceof ForkError) return null;
      throw error;
    }
    signal.throwIfAborted();
    return { blocks, to };
  }

  /** The accounts that an operation of the tree names. */
  private async findAccounts(): Promise<Pubkey[]> {
    const { tree } = this.request;
    const queue = (await this.findHead())?.info.queue;
    return queue && !queue.equals(tree) ? [tree, queue] : [tree];
  }

  private async findHead(): Promise<TreeHead | null> {
    const heads = await this.parts.trees.listHeads();
    return heads.find(({ info }) => info.tree.equals(this.request.tree)) ?? null;
  }

  /**
   * Whether all is published up to the block that the provers of all partitions are at, and were at when this step began. Then the tree
   * was read as it is after that block, and later blocks do not have what it lacks.
   */
  private async isPublishedToEnd(): Promise<boolean> {
    const now = new AppliedBranches((await this.parts.trees.listPartitions()).values()).commonTip;
    return [this.last, this.branches.commonTip].every((block) => block && now && isSameBlock(block, now));
  }
}
