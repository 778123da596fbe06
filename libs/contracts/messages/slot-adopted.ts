import { type BlockRef } from '@fresnel/domain/chain';

/** A block whose revert was published is on the chain after all: consumers accept its records again. */
export interface SlotAdopted extends BlockRef {
  kind: 'slot-adopted';
}
