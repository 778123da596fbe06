import { type BlockRef } from '@fresnel/domain/chain';
import { type Slot } from '@fresnel/domain/primitives';

/** What is stored of the history. */
export interface StoredHistory {
  /** The block at which attested history ends; null as long as it is not decided. */
  findAnchor(): Promise<BlockRef | null>;
  /**
   * Decides it, for all ingests.
   *
   * @param instead the one that turned out not to be on the chain; null: none is decided yet
   * @returns the decided one, which may be that of another ingest
   */
  decideAnchor(anchor: BlockRef, instead: BlockRef | null): Promise<BlockRef>;
  /** The slot up to which history is attested; null before the first range. */
  findAttestedTo(): Promise<Slot | null>;
  /** The time of a stored block, in unix seconds; null if it is not stored. */
  findBlockTime(block: BlockRef): Promise<number | null>;
}
