import { type ActionWeights } from './actions/action-mix';

/** Options of a generated ledger. The same options give the same ledger, byte for byte. */
export interface LedgerOptions {
  /** Seed of the random number generator; a safe integer from 0. */
  seed: number;
  /** Number of slots, including skipped ones. */
  slots: number;
  /** The first slot, which always has a block. Default 1000. */
  firstSlot?: number;
  /** Mean number of compression transactions per block; blocks contain other transactions too. Default 4. */
  transactionsPerSlot?: number;
  /** Share of slots, from 0 to 1, without a block. Default 0.05. */
  skippedShare?: number;
  /** Minimum share of blocks, from 0 to 1, without any transaction. Default 0.03. */
  emptyShare?: number;
  /** Weights that differ from the default action mix. */
  weights?: ActionWeights;
  /** A fork of the ledger with the same options and no branch; null for none. */
  branch?: LedgerBranch | null;
}

/**
 * A fork of a ledger. The first block of the branch contains the same transactions as the block that it replaces, one slot
 * later. All later blocks differ.
 */
export interface LedgerBranch {
  /** First slot that differs; must not be the first slot of the ledger. */
  fromSlot: number;
  seed: number;
}

/** Fills omitted options with their default values. */
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
