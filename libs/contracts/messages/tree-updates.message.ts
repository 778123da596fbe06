import { type BlockLink } from '@fresnel/domain/chain';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type SlotReverted } from './slot-reverted';

/** A message of `tree-updates`, from ingest to the prover. */
export type TreeUpdatesMessage = { kind: 'update'; update: TreeUpdate } | Watermark | SlotReverted;

/**
 * All updates of this block and of the blocks before it are published. Advances trees that the block does not change.
 */
export interface Watermark extends BlockLink {
  kind: 'watermark';
}
