import { type Hash, keyOf, type Slot } from '@fresnel/domain/primitives';

/** Identifies a block. Blocks of two forks can have the same slot; then only the blockhash differs. */
export interface BlockRef {
  slot: Slot;
  blockhash: Hash;
}

/** A block and its parent: one link of the chain. */
export interface BlockLink extends BlockRef {
  parentSlot: Slot;
  parentBlockhash: Hash;
}

/** Strips all fields except those of the reference. */
export function blockRefOf({ slot, blockhash }: BlockRef): BlockRef {
  return { slot, blockhash };
}

/** Strips all fields except those of the link. */
export function blockLinkOf({ slot, blockhash, parentSlot, parentBlockhash }: BlockLink): BlockLink {
  return { slot, blockhash, parentSlot, parentBlockhash };
}

/**
 * A key for `Map` and `Set`: equal if and only if the references name the same block. It contains raw bytes; do not log
 * it.
 */
export function blockKey({ slot, blockhash }: BlockRef): string {
  return `${slot} ${keyOf(blockhash)}`;
}

/** Slot (8, big-endian) and blockhash (32): sorted by slot. */
export function blockKeyBytes({ slot, blockhash }: BlockRef): Buffer {
  const key = Buffer.alloc(8 + blockhash.length);
  key.writeBigUInt64BE(BigInt(slot));
  key.set(blockhash, 8);
  return key;
}

export function isSameBlock(a: BlockRef, b: BlockRef): boolean {
  return a.slot === b.slot && a.blockhash.equals(b.blockhash);
}

export function parentOf({ parentSlot, parentBlockhash }: BlockLink): BlockRef {
  return { slot: parentSlot, blockhash: parentBlockhash };
}

export function isChildOf(block: BlockLink, parent: BlockRef): boolean {
  return isSameBlock(parentOf(block), parent);
}
