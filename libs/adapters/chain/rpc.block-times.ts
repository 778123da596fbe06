import { type BlockLink, type BlockRef, parentOf } from '@fresnel/domain/chain';
import { type Block, MalformedBlockError } from '@fresnel/domain/events';
import { FresnelError } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { wait } from '@fresnel/platform/time';
import { MissingHistoryError } from './block-source';
import { MAX_ANCESTORS, type NearestTime, nearestTime, withTime } from './nearest-time';
import { getBlockIfAny, headerRequest } from './rpc.get-block';
import { type SolanaRpc } from './solana-rpc';

/**
 * Finds the time of a stored block, followed by those of its stored ancestors, newest first, at most `limit` of them. Empty if
 * the block is not stored. Retryable errors mean that the store is not available.
 */
export type StoredTimes = (block: BlockRef, limit: number) => Promise<number[]>;

/**
 * Fills in the times of blocks. One without a time has the time of its nearest ancestor that has one, whoever reads it and
 * wherever reading starts. The ancestor is one of the blocks just read, or is asked of the nodes, or of the store if the nodes have
 * deleted it.
 */
export class BlockTimes {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly pollIntervalMs: number,
    private readonly logger: Logger,
    private readonly stored: StoredTimes = () => Promise.resolve([]),
  ) {}

  /**
   * Ends when the signal aborts.
   *
   * @param blocks each the child of the one before. If no time is found, the block and its ancestors are requested again.
   */
  async *fill(blocks: AsyncIterable<Block>, signal: AbortSignal): AsyncIterable<Block> {
    let last: NearestTime | null = null;
    try {
      for await (const block of blocks) {
        last = nearestTime(block.blockTime, last) ?? (await this.waitForTime(block, signal));
        yield withTime(block, last);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** @throws MalformedBlockError if no time is found */
  async fillOne(block: Block, signal: AbortSignal): Promise<Block> {
    const time = nearestTime(block.blockTime, null) ?? (await this.findTime(block, signal));
    if (time === null) throw new MalformedBlockError(`block ${block.slot} and its ancestors have no time`);
    return withTime(block, time);
  }

  private async waitForTime(block: Block, signal: AbortSignal): Promise<NearestTime> {
    for (let attempt = 1; ; attempt++) {
      const time = await this.findTime(block, signal);
      if (time !== null) return time;
      if (attempt === 1)
        this.logger.warn({ slot: block.slot }, 'a block and its ancestors have no time: requesting it again');
      await wait(this.pollIntervalMs, signal);
      signal.throwIfAborted();
      const own = await getBlockIfAny(this.rpc, headerRequest(block.slot), signal);
      if (own?.blockTime) return { time: own.blockTime, back: 0 };
    }
  }

  /** Asks the nodes for the ancestors of a block, then the store. @returns null if none of those that are left has a time */
  private async findTime(block: BlockLink, signal: AbortSignal): Promise<NearestTime | null> {
    let link = block;
    for (let back = 1; back <= MAX_ANCESTORS && link.parentSlot < link.slot; back++) {
      const parent = await getBlockIfAny(this.rpc, headerRequest(link.parentSlot), signal).catch(orNone);
      if (!parent) return (await this.findStored(block)) ?? this.findStoredAncestor(parentOf(link), back);
      if (parent.blockTime !== null) return { time: parent.blockTime, back };
      link = parent;
    }
    return this.findStored(block);
  }

  /** The time that the block itself got when it was read before. Its child does not get it: the ancestor may be too far back. */
  private async findStored(block: BlockRef): Promise<NearestTime | null> {
    const time = (await this.readStored(block, 1)).at(0);
    return time === undefined ? null : { time, back: MAX_ANCESTORS };
  }

  /**
   * The stored time of an ancestor, which may be that of an older one. If all ancestors have the same time up to one that is too
   * far back, the time may be from there.
   */
  private async findStoredAncestor(ancestor: BlockRef, back: number): Promise<NearestTime | null> {
    const limit = MAX_ANCESTORS - back + 2;
    const times = await this.readStored(ancestor, limit);
    const isTooFar = times.length === limit && times.every((time) => time === times[0]);
    return times.length === 0 || isTooFar ? null : { time: times[0], back: MAX_ANCESTORS };
  }

  private async readStored(block: BlockRef, limit: number): Promise<number[]> {
    try {
      return await this.stored(block, limit);
    } catch (error) {
      if (!(error instanceof FresnelError) || !error.isRetryable) throw error;
      return []; // asked again with the block
    }
  }
}

/** What the nodes have deleted has no time. */
function orNone(error: unknown): null {
  if (error instanceof MissingHistoryError) return null;
  throw error;
}
