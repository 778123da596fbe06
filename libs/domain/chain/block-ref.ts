import { type Hash, keyOf, type Slot } from '@fresnel/domain/primitives';

/** Identifies a block. The blockhash tells the blocks of two forks apart that have the same slot. */
export interface BlockRef {
  slot: Slot;
  blockhash: Hash;
}

/** A block and its parent: one link of the chain. */
export interface BlockLink extends BlockRef {
  parentSlot: Slot;
  parentBlockhash: Hash;
}

/** The reference alone, of a value that is more than a reference. */
export function blockRefOf({ slot, blockhash }: BlockRef): BlockRef {
  return { slot, blockhash };
}

/** The link alone, of a value that is more than a link. */
export function blockLinkOf({ slot, blockhash, parentSlot, parentBlockhash }: BlockLink): BlockLink {
  return { slot, blockhash, parentSlot, parentBlockhash };
}

/** A key for `Map` and `Set`; equal exactly for references to the same block. Not for people. */
export function blockKey({ slot, blockhash }: BlockRef): string {
  return `${slot} ${keyOf(blockhash)}`;
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
