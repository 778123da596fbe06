import { type ActionWeights } from './actions/action-mix';

/** What a generated ledger should be like. The same options give the same ledger, byte for byte. */
export interface LedgerOptions {
  /** Everything that is left to chance follows from it; a safe integer from 0. */
  seed: number;
  /** How many slots pass, skipped ones included. */
  slots: number;
  /** The first slot, which always has a block. Default 1000. */
  firstSlot?: number;
  /** Mean number of transactions per block that involve compression; blocks hold others besides. Default 4. */
  transactionsPerSlot?: number;
  /** Share of slots, from 0 to 1, without a block. Default 0.05. */
  skippedShare?: number;
  /** Share of blocks, from 0 to 1, without any transaction. Default 0.03; chance makes some more. */
  emptyShare?: number;
  /** Weights that differ from the usual mix. */
  weights?: ActionWeights;
  /** Goes another way than the same options without it; null: does not. */
  branch?: LedgerBranch | null;
}

/**
 * Another way for a ledger to go on. Its first block comes one slot later than the one that it stands for, with the same
 * transactions; all behind it is different.
 */
export interface LedgerBranch {
  /** Blocks of earlier slots are the same; not the ledger's first slot. */
  fromSlot: number;
  seed: number;
}

/** The options with the usual values where some are left out. */
export function completeOptions(options: LedgerOptions): Required<LedgerOptions> {
  return {
    seed: options.seed,
    slots: options.slots,
    firstSlot: options.firstSlot ?? 1000,
    transactionsPerSlot: options.transactionsPerSlot ?? 4,
    skippedShare: options.skippedShare ?? 0.05,
    emptyShare: options.emptyShare ?? 0.03,
    weights: options.weights ?? {},
    branch: options.branch ?? null,
  };
}
