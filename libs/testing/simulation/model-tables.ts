import { type Batch } from '@fresnel/adapters/bus';
import { type IndexedBlock } from '@fresnel/adapters/store-write';
import { FencedError, type PublishedSlot, type SlotEventsMessage } from '@fresnel/contracts/messages';
import {
  blockKey,
  type BlockLink,
  blockLinkOf,
  type BlockRef,
  blockRefOf,
  isAttested,
  isChildOf,
  isSameBlock,
  MAX_FORK_DEPTH,
  parentOf,
} from '@fresnel/domain/chain';
import { keyOf } from '@fresnel/domain/primitives';
import { mayChangeTrees } from '@fresnel/domain/state';
import { type StoredTables } from '@fresnel/features/ingest';
import { isLinkedTo } from '@fresnel/testing/chain';

/** A block that was reverted (`parent` is null), or one that is orphaned because its parent is, which `parent` names. */
interface OrphanedBlock extends BlockRef {
  parent: string | null;
}

/** A stored block and the transactions that it brought. */
interface ModelBlock extends BlockLink {
  changesTrees: boolean;
  signatures: string[];
}

/**
 * What the tables store of blocks, by the rules of `ProjectionStore`, without accounts. A test compares both.
 *
 * ```
 *   stored       10 ── 11 ── 13          the indexed branch: linked from the first block on
 *                       └── 12'          a sibling: the index does not pass 11 before one of them is reverted
 * ```
 */
export class ModelTables implements StoredTables {
  readonly blocks = new Map<string, ModelBlock>();
  readonly orphaned = new Map<string, OrphanedBlock>();
  /** The indexed blocks, oldest first. */
  indexed: ModelBlock[] = [];
  /** Changes with each batch. */
  version = 0;
  private readonly transactions = new Map<string, string>();
  private readonly positions = new Map<number, { offset: bigint; epoch: number }>();

  /** @returns the position of a partition, and the epoch without which nothing is written */
  claim(partition: number): { offset: bigint; epoch: number } {
    const { offset, epoch } = this.positions.get(partition) ?? { offset: 0n, epoch: 0 };
    const claimed = { offset, epoch: epoch + 1 };
    this.positions.set(partition, claimed);
    return claimed;
  }

  /** Moves all positions, and fences their consumers. @param offsets by partition */
  resetPositions(offsets: readonly bigint[]): void {
    offsets.forEach((offset, partition) => {
      this.positions.set(partition, { offset, epoch: (this.positions.get(partition)?.epoch ?? 0) + 1 });
    });
  }

  /** Applies a batch and moves the position, both or none. @throws FencedError */
  apply({ partition, from, to, messages }: Batch<SlotEventsMessage>, epoch: number): void {
    const position = this.positions.get(partition);
    if (position?.epoch !== epoch || position.offset !== from) throw new FencedError(`the position is not ${from}`);
    this.version++;
    for (const message of messages) this.applyMessage(message);
    this.positions.set(partition, { offset: to, epoch });
  }

  get tip(): BlockLink | null {
    return this.indexed.at(-1) ?? null;
  }

  isIndexed(block: BlockRef): boolean {
    return this.indexed.some((other) => blockKey(other) === blockKey(block));
  }

  /** The gateway's check of the block that a proof is of. @param branch of the trees in the journal, oldest first */
  accepts(block: BlockRef, branch: readonly BlockRef[]): boolean {
    if (this.orphaned.has(blockKey(block))) return false;
    if (block.slot <= (this.tip?.slot ?? -1)) return this.isIndexed(block);
    const { tip } = this;
    const stored = this.blocks.get(blockKey(block));
    if (tip && stored && stored.parentSlot < tip.slot) return false;
    if (!branch.some((one) => isSameBlock(one, block))) return false;
    if (!tip) return true;
    const newest = branch.findLastIndex(({ slot }) => slot <= tip.slot);
    if (newest < 0) return true;
    const hasGap = newest === 0 && branch.length > MAX_FORK_DEPTH + 1;
    const indexed = hasGap ? this.indexed.findLast(({ changesTrees }) => changesTrees) : tip;
    return !indexed || isSameBlock(branch[newest], indexed);
  }

  findIndexedBlocks({ from, to, limit }: { from: number; to: number; limit: number }): Promise<IndexedBlock[]> {
    return Promise.resolve(
      this.indexed
        .filter(({ slot }) => slot >= from && slot <= to)
        .slice(-limit)
        .map((block) => ({ ...blockLinkOf(block), changesTrees: block.changesTrees })),
    );
  }

  findOrphanedBlocks(from: number): Promise<BlockRef[]> {
    return Promise.resolve([...this.orphaned.values()].filter(({ slot }) => slot >= from).map(blockRefOf));
  }

  findUnchangedUpTo(slot: number): Promise<number> {
    const next = this.indexed.find((block) => block.slot > slot && block.changesTrees);
    return Promise.resolve(next ? next.slot - 1 : (this.tip?.slot ?? slot));
  }

  private applyMessage(message: SlotEventsMessage): void {
    if (message.kind === 'slot') this.store(message);
    else if (message.kind === 'slot-reverted') this.revert(message);
    else if (message.kind === 'slot-adopted') this.adopt(blockKey(message));
    this.advance();
  }

  private store({ events }: PublishedSlot): void {
    const block = {
      ...blockLinkOf(events),
      changesTrees: mayChangeTrees(events),
      signatures: events.transactions.map(({ signature }) => keyOf(signature)),
    };
    const key = blockKey(block);
    const parent = blockKey(parentOf(block));
    if (this.orphaned.has(key) || this.orphaned.has(parent)) {
      if (!this.orphaned.has(key)) this.orphaned.set(key, { ...blockRefOf(block), parent });
      this.remove(key);
      return;
    }
    if (this.blocks.has(key)) return;
    const tip = this.tip?.slot ?? -1;
    const isTaken = [...this.blocks.values()].some(({ slot }) => slot === block.slot);
    const isConflicting = block.signatures.some((signature) => this.transactions.has(signature));
    if (block.slot <= tip || isTaken || isConflicting) return;
    this.blocks.set(key, block);
    for (const signature of block.signatures) this.transactions.set(signature, key);
    if (events.isFirst && this.indexed.length === 0) this.indexed = [block];
  }

  private revert(reverted: BlockRef): void {
    const key = blockKey(reverted);
    this.orphaned.set(key, { ...blockRefOf(reverted), parent: null });
    this.remove(key);
  }

  /** Removes a stored block. Its children stay, and are removed with their next record. */
  private remove(key: string): void {
    const block = this.blocks.get(key);
    if (!block) return;
    this.blocks.delete(key);
    for (const signature of block.signatures) this.transactions.delete(signature);
    const at = this.indexed.indexOf(block);
    if (at >= 0) this.indexed = this.indexed.slice(0, at);
  }

  /** Forgets an orphaned block, and those that are orphaned because of it. */
  private adopt(adopted: string): void {
    this.orphaned.delete(adopted);
    for (const [key, { parent }] of this.orphaned) if (parent === adopted) this.adopt(key);
  }

  /** Advances to the only child of the tip, or to an attested block, past no stored block. */
  private advance(): void {
    for (let { tip } = this; tip; { tip } = this) {
      const parent = tip;
      const above = [...this.blocks.values()].filter(({ slot }) => slot > parent.slot);
      const next = above.sort((one, other) => one.slot - other.slot).at(0);
      const hasSiblings = above.filter((block) => isChildOf(block, parent)).length > 1;
      if (!next || !isLinkedTo(next, parent) || (hasSiblings && !isAttested(next))) return;
      this.indexed.push(next);
    }
  }
}
