import { type BlockLink } from '@fresnel/domain/chain';
import { type Slot } from '@fresnel/domain/primitives';

/** Injection token: the blocks that projectors have stored; null if they cannot differ from the published ones. */
export const STORED_BLOCKS = Symbol('StoredBlocks');

/** The blocks that projectors have stored. */
export interface StoredBlocks {
  /** The newest indexed blocks, linked, newest last; at most `PUBLISHED_BLOCK_WINDOW`. */
  findIndexed(): Promise<BlockLink[]>;

  /** The stored blocks after a slot, oldest first. */
  findAfter(slot: Slot, limit: number): Promise<BlockLink[]>;
}
