import { toHash, type Slot } from '@fresnel/domain/primitives';
import { type BlockLink, type BlockRef, parentOf } from './block-ref';

/**
 * A history source gives the transactions of a slot, and neither the block nor its parent. It attests instead that no slot between two
 * has a transaction of interest. Such a slot is a sparse block: a placeholder stands for its blockhash, and its parent is the end of what
 * was attested before it.
 *
 * ```
 *   sparse     100 ······ 107 ·· 110      the parent of 107 is 100: slots 101 to 106 have no transaction of interest
 *   anchor                        └─ 115  the last one has its blockhash, as a node gave it
 *   dense                             └── 116 ── 117
 * ```
 */
const PLACEHOLDER = Buffer.alloc(24, 0xff);

/** A range of slots of which a history source has given all transactions of interest. The block that has it ends the range. */
export interface AttestedRange {
  from: Slot;
  /** The host of the source. */
  source: string;
  /** How many transactions it gave. */
  transactions: number;
}

/** The sparse block at a slot. Its placeholder: 24 bytes 0xff, and the slot (8, big-endian). All sources have the same one. */
export function sparseBlock(slot: Slot): BlockRef {
  const blockhash = Buffer.alloc(32);
  blockhash.set(PLACEHOLDER);
  blockhash.writeBigUInt64BE(BigInt(slot), PLACEHOLDER.length);
  return { slot, blockhash: toHash(blockhash) };
}

export function isSparse({ blockhash }: Pick<BlockRef, 'blockhash'>): boolean {
  return blockhash.subarray(0, PLACEHOLDER.length).equals(PLACEHOLDER);
}

/** Whether a source attests the slots between the parent of a block and the block, instead of a link. */
export function isAttested(block: BlockLink): boolean {
  return isSparse(parentOf(block));
}

/** Whether a block is the anchor: it ends attested history, and names its blockhash. */
export function isAnchor(block: BlockLink): boolean {
  return isAttested(block) && !isSparse(block);
}
