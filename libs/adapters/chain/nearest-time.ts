import { type Block } from '@fresnel/domain/events';

/** How many blocks before a block without a time may have the time that it gets. */
export const MAX_ANCESTORS = 64;

/** The time of a block. */
export interface NearestTime {
  /** Unix seconds. */
  time: number;
  /** How many blocks before it the block is that has this time from its node. 0: it is its own. */
  back: number;
}

/**
 * The time of a block: its own, or that of its nearest ancestor that has one.
 *
 * ```
 *   node     1001: 50   1002: –   1003: –   1004: 60   1005: –
 *   index    1001: 50   1002: 50  1003: 50  1004: 60   1005: 60
 * ```
 *
 * @param own null: its node knows none
 * @param parent the time of the block before; null: not known
 * @returns null if the ancestor is not known, or too far back. Readers that start in different places agree about that.
 */
export function nearestTime(own: number | null, parent: NearestTime | null): NearestTime | null {
  if (own !== null) return { time: own, back: 0 };
  return parent && parent.back < MAX_ANCESTORS ? { time: parent.time, back: parent.back + 1 } : null;
}

/** A block with the time that it gets. */
export function withTime(block: Block, { time }: NearestTime): Block {
  return block.blockTime === null ? { ...block, blockTime: time } : block;
}
