import { type BlockLink, type BlockRef } from '@fresnel/adapters/chain';
import { keyOf } from '@fresnel/domain/primitives';
import { type BegunBlock, HELD_BLOCKS, type ResumeState } from './resume-point';

/** The newest blocks that consumers have been told of, and those that they were told to forget. */
export class HeldBlocks {
  private published: BlockRef[];
  private begun: BegunBlock[];
  private readonly reverted: Set<string>;

  constructor({ published, begun, reverted }: ResumeState) {
    this.published = [...published];
    this.begun = [...begun];
    this.reverted = new Set(reverted.map(toKey));
  }

  /** The last one that all consumers have; null before the first. */
  get last(): BlockRef | null {
    return this.published.at(-1) ?? null;
  }

  /** All of them, newest last. */
  get all(): BlockRef[] {
    return [...this.published, ...this.begun];
  }

  /** Whether the child of the last one is what consumers expect: those that were there before it may have more. */
  isExpected(block: BlockLink): boolean {
    const next = this.begun.at(0);
    if (!next || isSame(next, block)) return true;
    return next.parentSlot !== null && block.slot <= next.parentSlot;
  }

  /** Whether consumers were told to forget it, which they do for good. */
  wasReverted(block: BlockRef): boolean {
    return this.reverted.has(toKey(block));
  }

  /** Takes the child of the last one up, now that it is published. */
  add({ slot, blockhash }: BlockRef): void {
    const next = this.begun.at(0);
    if (next && isSame(next, { slot, blockhash })) this.begun.shift();
    this.published.push({ slot, blockhash });
    if (this.published.length > HELD_BLOCKS) this.published.shift();
  }

  /** Those above one that is held, newest first. */
  above(ancestor: BlockRef): BlockRef[] {
    const { all } = this;
    const at = all.findIndex((each) => isSame(each, ancestor));
    return all.slice(at + 1).reverse();
  }

  /** Forgets those above one that is held. */
  revertTo(ancestor: BlockRef): void {
    const above = this.above(ancestor);
    for (const block of above) this.reverted.add(toKey(block));
    this.published = this.published.filter((each) => !this.wasReverted(each));
    this.begun = [];
  }
}

function toKey({ slot, blockhash }: BlockRef): string {
  return `${slot} ${keyOf(blockhash)}`;
}

function isSame(one: BlockRef, other: BlockRef): boolean {
  return one.slot === other.slot && one.blockhash.equals(other.blockhash);
}
