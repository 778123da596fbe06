import { type Hash, type Slot } from '@fresnel/domain/primitives';

/** A block that was told is not on the chain any more; everything that came of it is to be taken back. */
export interface SlotReverted {
  kind: 'slot-reverted';
  slot: Slot;
  blockhash: Hash;
  /** The block that the chain goes on from, where the source knows it. */
  goesOnFrom?: { slot: Slot; blockhash: Hash };
}
