import { type Pubkey, type Slot } from '@fresnel/domain/primitives';

/**
 * What attested history lacks of a tree.
 *
 * - `tree-missing`: the node lists the tree with operations, and history has none of it.
 * - `operations-missing`: sequence numbers, leaf indices or queue positions are missing.
 * - `root-differs`: the computed root is not in the root history of the tree account.
 * - `spend-missing`: a leaf is nullified, or an account waits in the nullifier queue, and no transaction spends the account.
 * - `transaction-lost`: the source has lost a part of a transaction that names the tree, such as its meta, so its events are unknown.
 * - `order-unknown`: the source gives several transactions of a slot the same index, and nothing else tells their order.
 * - `signature-in-two-slots`: the source gives a transaction in two slots. One of them has no block on the chain, and it is
 *   not known which.
 */
export const FINDING_REASONS = [
  'tree-missing',
  'operations-missing',
  'root-differs',
  'spend-missing',
  'transaction-lost',
  'order-unknown',
  'signature-in-two-slots',
] as const;
export type FindingReason = (typeof FINDING_REASONS)[number];

export interface HistoryFinding {
  tree: Pubkey;
  reason: FindingReason;
  /** The first and the last sequence number that are missing; null if none is. */
  sequenceNumbers: [bigint, bigint] | null;
  /** The first and the last slot where the missing transactions may be. */
  slots: [Slot, Slot];
}
