import { type BlockLink } from '@fresnel/domain/chain';
import { type Block, MalformedBlockError } from '@fresnel/domain/events';
import { type Logger } from '@fresnel/platform';
import { wait } from './backoff';
import { MissingHistoryError } from './block-source';
import { getBlockIfAny, headerRequest } from './rpc.get-block';
import { type SolanaRpc } from './solana-rpc';

/** How far back a time is looked for. */
const MAX_ANCESTORS = 64;

/**
 * Fills in the times of blocks. One without a time has the time of its nearest ancestor that has one, whoever reads it and
 * wherever reading starts.
 */
export class BlockTimes {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly pollIntervalMs: number,
    private readonly logger: Logger,
  ) {}

  /** @param blocks each the child of the one before. If no time is found, the block and its ancestors are requested again. */
  async *fill(blocks: AsyncIterable<Block>, signal: AbortSignal): AsyncIterable<Block> {
    let last: number | null = null;
    for await (const block of blocks) {
      last = block.blockTime ?? last ?? (await this.waitForTime(block, signal));
      yield withTime(block, last);
    }
  }

  /** @throws MalformedBlockError if no time is found */
  async fillOne(block: Block, signal: AbortSignal): Promise<Block> {
    const time = block.blockTime ?? (await this.findTimeOfAncestor(block, signal));
    if (time === null) throw new MalformedBlockError(`block ${block.slot} and its ancestors have no time`);
    return withTime(block, time);
  }

  private async waitForTime(block: Block, signal: AbortSignal): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const time = await this.findTimeOfAncestor(block, signal);
      if (time !== null) return time;
      if (attempt === 1)
        this.logger.warn({ slot: block.slot }, 'a block and its ancestors have no time: requesting it again');
      await wait(this.pollIntervalMs, signal);
      signal.throwIfAborted();
      const own = await getBlockIfAny(this.rpc, headerRequest(block.slot), signal);
      if (own?.blockTime) return own.blockTime;
    }
  }

  /** @returns null if none of the ancestors that the nodes still have has a time */
  private async findTimeOfAncestor(block: BlockLink, signal: AbortSignal): Promise<number | null> {
    let link = block;
    for (let back = 0; back < MAX_ANCESTORS && link.parentSlot < link.slot; back++) {
      const parent = await getBlockIfAny(this.rpc, headerRequest(link.parentSlot), signal).catch(orNone);
      if (!parent || parent.blockTime !== null) return parent && parent.blockTime;
      link = parent;
    }
    return null;
  }
}

function withTime(block: Block, blockTime: number): Block {
  return block.blockTime === null ? { ...block, blockTime } : block;
}

/** What the nodes have deleted has no time. */
function orNone(error: unknown): null {
  if (error instanceof MissingHistoryError) return null;
  throw error;
}
