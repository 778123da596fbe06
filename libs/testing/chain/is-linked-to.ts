import { type BlockLink, type BlockRef, isAttested, isSameBlock, isSparse, parentOf } from '@fresnel/domain/chain';

/**
 * Whether nothing is missing between the newest known block and a later one: it is its child, or attested from there. Of two sources one
 * may lack slots that the other has, so an attested block may begin below the newest one. `linked_blocks.sql` has the same rule.
 */
export function isLinkedTo(block: BlockLink, newest: BlockRef): boolean {
  if (isAttested(block)) return isSparse(newest) && block.parentSlot <= newest.slot && block.slot > newest.slot;
  return isSameBlock(parentOf(block), newest);
}
