import { type BlockLink, type BlockRef, type Commitment } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { FresnelError, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type BranchQuestion, type FinalizedBranch } from './finalized-branch';

/** A source of blocks: a Solana node or a ledger file. */
export interface BlockSource {
  /** Returns an identifier of the chain. All sources of one chain return the same one. */
  identify(signal: AbortSignal): Promise<string>;

  /**
   * Delivers confirmed blocks in chain order. Each block is the child of the previous one: a source fetches missing
   * blocks and never skips one. The iteration ends when the signal aborts, or at the end of a ledger file.
   *
   * @param after the last block that the caller has; null: start at the first block of the source
   * @throws ForkError when a block is not the child of the previous one; ChainVersionError, MissingHistoryError
   */
  blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block>;

  /**
   * Delivers the blocks from a slot on, like `blocks`.
   *
   * @param about of sparse blocks, only the transactions that name one of these accounts are wanted
   * @throws ForkError when a block is not the child of the previous one; ChainVersionError, MissingHistoryError
   */
  blocksFrom(slot: Slot, signal: AbortSignal, about?: readonly Pubkey[]): AsyncIterable<Block>;

  /**
   * Reads what the finalized chain has after the newest of some known blocks.
   *
   * @throws UnprovenBranchError if the nodes do not prove it now; ForkError when the chain descends from none of the known
   * blocks, or when the source cannot have forks
   */
  readFinalized(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch>;

  /**
   * Fetches one final block.
   *
   * @returns null if the slot was skipped
   * @throws RpcUnavailableError if the source does not answer in time; MissingHistoryError, ChainVersionError
   */
  findBlock(slot: Slot, signal: AbortSignal): Promise<Block | null>;

  /** The first slot of a new index that begins with attested history; absent: the source has none. */
  findFirstSlot?(signal: AbortSignal): Promise<Slot>;

  /** Asks for the newest slot. */
  findTip(signal: AbortSignal): Promise<Slot>;

  /** The commitment of the blocks; absent: the source cannot have forks. A finalized block is never orphaned. */
  findCommitment?(): Promise<Commitment>;

  /** The newest slot that the source has reported, and when; null before the first report. */
  readonly tip: ChainTip | null;
}

/** Finds trees by their accounts on the chain, as of a given slot or later. */
export interface TreeSource {
  /**
   * All trees that exist at a slot or later.
   *
   * @throws IncompleteTreesError if the node does not list them; the signal's reason when it aborts
   */
  listTrees(minContextSlot: Slot, signal: AbortSignal): Promise<TreeInfo[]>;

  /** Reads accounts of trees and queues. @throws the signal's reason when it aborts */
  findTrees(lookup: TreeLookup, signal: AbortSignal): Promise<FoundTrees>;
}

export interface TreeLookup {
  accounts: readonly Pubkey[];
  /** The node must have reached this slot. */
  minContextSlot: Slot;
  /** How long failed requests are retried; Infinity: until the signal aborts. */
  retryForMs: number;
}

/** The outcome of a lookup. An account that is in neither list is not a tree. */
export interface FoundTrees {
  /** The trees among the accounts, and the trees of the queues among them. */
  trees: TreeInfo[];
  /** Accounts that may be trees, but could not be read. */
  unread: UnreadAccount[];
  /** The slot as of which the other accounts are not trees. Not below the requested one. */
  slot: Slot;
}

export interface UnreadAccount {
  account: Pubkey;
  reason: string;
}

export interface ChainTip {
  slot: Slot;
  seenAt: Date;
}

/**
 * Signatures of all transactions are read in blocks that are not further behind the tip. Of a block of mainnet they take
 * more space than all its events, and only the newest are kept.
 */
export const SIGNATURES_LAG_SLOTS = 1_000;

/** The first slot of which the signatures of all transactions are read. */
export function firstSlotWithSignatures(tip: ChainTip | null): number {
  return tip === null ? 0 : tip.slot - SIGNATURES_LAG_SLOTS;
}

/** The node has not given all trees. So there may be others, and what it gave must not be taken for all of them. */
export class IncompleteTreesError extends FresnelError {
  readonly code = 'incomplete-trees';

  constructor(
    message: string,
    /** False if the node does not offer the list. */
    readonly isRetryable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A block is not the child of the last block: the chain has switched to another branch. */
export class ForkError extends FresnelError {
  readonly code = 'fork';
  readonly isRetryable = false;

  constructor(
    message: string,
    /** The unlinked block; null if searching for its fork point cannot help. */
    readonly block: BlockLink | null = null,
  ) {
    super(message);
  }
}

/** The chain uses a transaction version that this code cannot parse. */
export class ChainVersionError extends FresnelError {
  readonly code = 'chain-version';
  readonly isRetryable = false;
}

/** The source no longer has the requested blocks. */
export class MissingHistoryError extends FresnelError {
  readonly code = 'missing-history';
  readonly isRetryable = false;
}
