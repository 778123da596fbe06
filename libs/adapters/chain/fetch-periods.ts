import { type Block } from '@fresnel/domain/events';
import { type Period } from '@fresnel/platform';
import { wallClock } from '@fresnel/platform/time';

/** Several blocks are fetched ahead, long before they are published, so the spans of slots get these times afterwards. */
const periods = new WeakMap<Block, Period>();

/** Notes how long it takes to fetch and parse a block. @param fetch null: the slot was skipped */
export async function timeFetch(fetch: () => Promise<Block | null>): Promise<Block | null> {
  const startedAt = wallClock();
  const block = await fetch();
  if (block) periods.set(block, { startedAt, endedAt: wallClock() });
  return block;
}

/** When a block was fetched; undefined if its source did not request it from a node. */
export function fetchPeriodOf(block: Block): Period | undefined {
  return periods.get(block);
}
