import { type Signature } from '@fresnel/domain/primitives';

/*
 * Ids of transactions: slot · 65,536 + rank of the signature among those of the slot with compression events.
 *
 * Ids sort like slots, then signatures. The SQL of the migrations and queries computes with them too: the slot of an id is
 * `id >> 16`.
 */

/** Bits of the rank. A block has no room for 65,536 transactions. */
const RANK_BITS = 16n;

/** The least id of a slot, and of all slots above it. */
export function firstTransactionId(slot: number | bigint): bigint {
  return BigInt(slot) << RANK_BITS;
}

/**
 * Assigns ids to the transactions of a slot.
 *
 * @returns by signature, hex
 */
export function transactionIds(slot: number, signatures: readonly Signature[]): Map<string, bigint> {
  const hex = signatures.map((signature) => signature.toString('hex')).sort();
  const first = firstTransactionId(slot);
  return new Map([...new Set(hex)].map((signature, rank) => [signature, first + BigInt(rank)]));
}
