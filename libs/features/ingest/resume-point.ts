import { type SlotReverted } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Slot } from '@fresnel/domain/primitives';

/** Injection token: who knows up to which block everything is published. */
export const RESUME_POINT = Symbol('ResumePoint');

/** More blocks than these are final long before they would have to be taken back: consumers need not remember how. */
export const MAX_FORK_DEPTH = 31;

/** Those that a fork may abandon, and the one that the chain goes on from. */
export const PUBLISHED_BLOCK_WINDOW = MAX_FORK_DEPTH + 1;

export interface ResumePoint {
  /**
   * What consumers have by now.
   *
   * @param chain names the chain that the source serves
   * @throws an error that is not retryable when the consumers hold another chain
   */
  find(chain: string, signal: AbortSignal): Promise<ResumeState>;
}

/** Blocks that consumers have, or will get from the bus. */
export interface ResumeState {
  /** The newest that all of them have, each the parent of the next, newest last: HELD_BLOCKS of them where there are. */
  published: readonly BlockRef[];
  /** Those beyond that some may have, oldest first. They are published again, or taken back where the chain left them. */
  partiallyPublished: readonly PartiallyPublishedBlock[];
  /** Those that were taken back lately, newest first. Some consumers may not have heard of it. */
  reverted: readonly SlotReverted[];
}

export interface PartiallyPublishedBlock extends BlockRef {
  /** Null where it is not known: then the block follows the one before it in the list, or the last one published. */
  parentSlot: Slot | null;
}

/** Of a new index. */
export const NOTHING_PUBLISHED: ResumeState = { published: [], partiallyPublished: [], reverted: [] };
