import { type BlockRef } from '@fresnel/domain/chain';

/** A published block is orphaned: consumers revert everything that they derived from it. */
export interface SlotReverted extends BlockRef {
  kind: 'slot-reverted';
  /** The newest block that the orphaned branch and the new one have in common; absent where it is not known. */
  forkPoint?: BlockRef;
}
