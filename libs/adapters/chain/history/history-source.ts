import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type BlockTransaction } from '@fresnel/domain/events';
import { FresnelError, type Pubkey, type Signature, type Slot } from '@fresnel/domain/primitives';

/** Slots from the first to the last, both included. */
export interface SlotRange {
  from: Slot;
  to: Slot;
}

/**
 * A provider of past transactions that name an account, so that nobody has to fetch the blocks between them. What it withholds
 * leaves no trace here: whoever reads from it has to prove that nothing is missing.
 */
export interface HistorySource {
  /** For logs: what it speaks and where, without credentials. */
  readonly name: string;
  /** Requests and bytes so far. */
  readonly usage: HistoryUsage;
  /** Whether transactions have their bytes; otherwise they have the form of `writeExecutedTransaction`. */
  readonly hasBytes: boolean;
  /** Whether slots have the links of their blocks. */
  readonly hasLinks: boolean;

  /**
   * What it has, if that ends at a block which it names; absent: it goes up to the tip of the chain.
   *
   * @throws HistoryRefusedError if there is nothing that can be used
   */
  findExtent?(signal: AbortSignal): Promise<HistoryExtent>;

  /**
   * Reads the successful transactions of a range, and retries what may succeed later. After an error, reading goes on after the
   * last page.
   *
   * @param about at least one program or account that a transaction has to name; several are alternatives
   * @returns pages in chain order, which together attest the range
   * @throws HistoryRefusedError, ChainVersionError if it cannot succeed; HistoryAnswerError if answers contradict themselves again
   * and again; the signal's reason when it aborts
   */
  read(range: SlotRange, about: readonly Pubkey[], signal: AbortSignal): AsyncIterable<HistoryPage>;

  /** Counts what `read` would deliver, for a small part of its cost. @throws as `read` does */
  count(range: SlotRange, about: Pubkey, signal: AbortSignal): Promise<number>;
}

/** All that a source has of a chain. */
export interface HistoryExtent {
  /** The first slot. */
  from: Slot;
  /** The last block. */
  anchor: BlockRef;
  /** Of the chain, in base58. */
  genesisHash: string;
}

/** A part of a range. According to the source, it has no other transactions. */
export interface HistoryPage extends SlotRange {
  /** In chain order, each with all of its transactions. Slots without any may be missing. */
  slots: HistorySlot[];
  /** Transactions that the source has lost in part. They are among the slots, too, and the parser reports them. */
  holes: HistoryHole[];
}

export interface HistorySlot {
  slot: Slot;
  /** Unix seconds; null if the source does not know it. */
  blockTime: number | null;
  /** By index. Some sources give equal indexes to transactions of one slot: only their trees tell the order of those. */
  transactions: HistoryTransaction[];
  /** Null if the source has no links. */
  link: BlockLink | null;
}

/** See `HistorySource.hasBytes` for the form of `json`, which `TransactionParser` reads. */
export interface HistoryTransaction extends BlockTransaction {
  /** Null for a hole of which nothing else is known. */
  signature: Signature | null;
}

export interface HistoryHole {
  slot: Slot;
  index: number;
  signature: Signature | null;
  reason: string;
}

/** What a source has cost. */
export interface HistoryUsage {
  /** Including those that failed. */
  calls: number;
  /** Of responses, after decompression. */
  bytes: number;
}

/** The provider does not serve this request, now or later: the key, the plan, the method or the data set. */
export class HistoryRefusedError extends FresnelError {
  readonly code = 'history-refused';
  readonly isRetryable = false;
}

/** The answers of a provider contradict themselves or the request. */
export class HistoryAnswerError extends FresnelError {
  readonly code = 'history-answer';
  readonly isRetryable = true;
}
