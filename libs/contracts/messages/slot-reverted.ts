import { type BlockRef } from '@fresnel/domain/chain';

/** A block that was told is not on the chain any more; everything that came of it is to be taken back. */
export interface SlotReverted extends BlockRef {
  kind: 'slot-reverted';
  /** The block that the chain goes on from, where the source knows it. */
  goesOnFrom?: BlockRef;
}
