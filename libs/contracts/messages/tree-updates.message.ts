import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type SlotAdopted } from './slot-adopted';
import { type SlotReverted } from './slot-reverted';

/** A message of `tree-updates`, from ingest to the prover. */
export type TreeUpdatesMessage = PublishedUpdate | Watermark | SlotReverted | SlotAdopted;

/** The branch before the block of a record. */
export interface NamedBranch {
  /**
   * The newest earlier block that changes a tree, of any partition; null if none is known: the block is the first one of the log.
   * A consumer has all changes before the block if that is the newest such block that it has applied.
   */
  previousChange: BlockRef | null;
  /** The blocks between that one and this, oldest first: they change no tree. Of more than `MAX_FORK_DEPTH` the newest. */
  silentBlocks: readonly BlockRef[];
}

/** The changes of a tree by a block. */
export interface PublishedUpdate extends NamedBranch {
  kind: 'update';
  update: TreeUpdate;
  /** Whether it is published again for a tree that lacks operations. The block is final then, and is applied at any position. */
  isRepublished: boolean;
}

/**
 * All updates of this block and of the blocks before it are published. Advances trees that the block does not change.
 *
 * Every block that changes a tree has one, in every partition. Few of the others have one.
 */
export interface Watermark extends BlockLink, NamedBranch {
  kind: 'watermark';
  /** Whether this block itself changes a tree: see `changesTrees`. */
  changesTrees: boolean;
}
