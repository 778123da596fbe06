import { type BlockLink } from '@fresnel/domain/chain';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type SlotReverted } from './slot-reverted';

/** A message of `tree-updates`, from ingest to the prover. */
export type TreeUpdatesMessage = { kind: 'update'; update: TreeUpdate } | Watermark | SlotReverted;

/**
 * All updates of this block and of the blocks before it are published. Advances trees that the block does not change.
 *
 * Every block that changes a tree has one. Silent blocks, which change no tree, share one.
 */
export interface Watermark extends BlockLink {
  kind: 'watermark';
  /** The silent blocks before it, linked, oldest first: those without a watermark, at most as many as a fork may orphan. */
  silent: readonly BlockLink[];
}
