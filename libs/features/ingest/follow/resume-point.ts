import { type SlotReverted } from '@fresnel/contracts/messages';
import { type BlockRef, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { type Slot } from '@fresnel/domain/primitives';

/** Injection token: finds the blocks that are already published. */
export const RESUME_POINT = Symbol('ResumePoint');

/** How many published blocks are remembered: those that a fork may orphan, and the fork point before them. */
export const PUBLISHED_BLOCK_WINDOW = MAX_FORK_DEPTH + 1;

export interface ResumePoint {
  /**
   * Finds what has been published so far.
   *
   * @param chain identifies the chain that the source serves
   * @throws a permanent error when the consumers store another chain
   */
  find(chain: string, signal: AbortSignal): Promise<ResumeState>;
}

/** The blocks that consumers have stored, or will receive from the bus. */
export interface ResumeState {
  /** The newest blocks that are in every topic, linked, newest last; at most PUBLISHED_BLOCK_WINDOW. */
  published: readonly BlockRef[];
  /**
   * The newest blocks of the published branch that change a tree, oldest first: all in `published`, and the newest one before
   * them. Empty if none is known.
   */
  changes: readonly BlockRef[];
  /** Blocks after these that are in some topics, oldest first. Ingest publishes them again, or reverts them. */
  partiallyPublished: readonly PartiallyPublishedBlock[];
  /** Blocks whose revert was published recently, newest first. Some consumers may not have received it. */
  reverted: readonly SlotReverted[];
}

export interface PartiallyPublishedBlock extends BlockRef {
  parentSlot: Slot;
}

/** The state of a new index. */
export const NOTHING_PUBLISHED: ResumeState = { published: [], changes: [], partiallyPublished: [], reverted: [] };
