import { createHash } from 'node:crypto';
import { type BlockLink } from '@fresnel/domain/chain';
import { type Hash, toBase58, toHash, toSlot } from '@fresnel/domain/primitives';

/** A block that a fake node serves. */
export interface FakeBlock {
  slot: number;
  /** The `getBlock` result with base64 encoding, which may also have a member `slot`. */
  json: string;
}

/** The blockhash that `linkBlocks` gives to a slot. */
export function blockhashAt(slot: number, branch = 'main'): Hash {
  return toHash(createHash('sha256').update(`${branch} ${slot}`).digest());
}

/** The block at a slot of a branch, as the child of the block one slot before it. */
export function blockLinkAt(slot: number, branch = 'main'): BlockLink {
  const parentSlot = Math.max(slot - 1, 0);
  return {
    slot: toSlot(slot),
    blockhash: blockhashAt(slot, branch),
    parentSlot: toSlot(parentSlot),
    parentBlockhash: blockhashAt(parentSlot, branch),
  };
}

/**
 * Blocks without transactions at some slots, each the child of the one before.
 *
 * @param branch blocks of another branch have other blockhashes
 * @param parent slot of the first block's parent; default: the slot before
 * @param from branch of the first block's parent
 */
export function linkBlocks(
  slots: readonly number[],
  {
    branch = 'main',
    parent = Math.max(slots[0] - 1, 0),
    from = 'main',
  }: { branch?: string; parent?: number; from?: string } = {},
): FakeBlock[] {
  return slots.map((slot, at) => {
    const parentSlot = at === 0 ? parent : slots[at - 1];
    const json = JSON.stringify({
      slot,
      parentSlot,
      blockhash: toBase58(blockhashAt(slot, branch)),
      previousBlockhash: toBase58(blockhashAt(parentSlot, at === 0 ? from : branch)),
      blockTime: 1_700_000_000 + slot,
      blockHeight: slot,
      transactions: [],
    });
    return { slot, json };
  });
}

/** Integers from the first to the last, both included. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
