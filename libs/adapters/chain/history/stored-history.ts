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
  /** The newest stored block, whether or not all before it is stored; null if there is none. */
  findNewestBlock(): Promise<BlockRef | null>;
  /** The time of the newest stored block up to a slot, in unix seconds; null if there is none. */
  findBlockTime(upTo: Slot): Promise<number | null>;
}
