import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { FresnelError, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';

/** Injection token: a node's RPC, or a recording. */
export const BLOCK_SOURCE = Symbol('BlockSource');

/** Where blocks come from. */
export interface BlockSource {
  /** Names the chain; equal for all sources of one chain. */
  identify(signal: AbortSignal): Promise<string>;

  /**
   * Confirmed blocks in chain order, each the child of the one before; what a source leaves out is fetched, never
   * skipped. Ends when the signal says stop, or where a recording ends. A source may be configured to leave the transactions
   * out of blocks in which none names the compression program.
   *
   * @param after the block before the first one wanted; null: from the source's own beginning
   * @throws ForkError when a block does not follow the last one; ChainVersionError, MissingHistoryError
   */
  blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block>;

  /**
   * Finds out where the chain goes on from when a block does not follow the last one.
   *
   * @param held the last blocks, newest last
   * @param block the one that does not follow
   * @returns the newest of them that is an ancestor of the block; null: the source does not prove it, has said so in the
   * log, and is to be asked for blocks again
   * @throws ForkError when none of them is an ancestor, or where the source's chain can have no forks
   */
  findForkPoint(held: readonly BlockRef[], block: BlockLink, signal: AbortSignal): Promise<BlockRef | null>;

  /** Whether a block is on the chain by what the source says when it is asked; false too where it cannot say. */
  has(block: BlockRef, signal: AbortSignal): Promise<boolean>;

  /** Newest slot that the source knows to exist, and when it was reported; null before the first report. */
  readonly tip: ChainTip | null;
}

/** Where trees are found by their accounts. */
export interface TreeSource {
  /** All trees that the chain has now; empty where a node does not list them. */
  listTrees(signal: AbortSignal): Promise<TreeInfo[]>;

  /**
   * Looks accounts up, trees and queues.
   *
   * @returns the trees among them, and those that the queues belong to
   */
  findTrees(accounts: readonly Pubkey[], signal: AbortSignal): Promise<TreeInfo[]>;
}

export interface ChainTip {
  slot: Slot;
  seenAt: Date;
}

/** The chain went on from another block than the one we hold. */
export class ForkError extends FresnelError {
  readonly code = 'fork';
  readonly isRetryable = false;

  constructor(
    message: string,
    /** The block that does not follow, where it is worth looking for the one that it descends from. */
    readonly block: BlockLink | null = null,
  ) {
    super(message);
  }
}

/** The chain uses a version that cannot be read here. */
export class ChainVersionError extends FresnelError {
  readonly code = 'chain-version';
  readonly isRetryable = false;
}

/** The source no longer has the blocks that are wanted. */
export class MissingHistoryError extends FresnelError {
  readonly code = 'missing-history';
  readonly isRetryable = false;
}
