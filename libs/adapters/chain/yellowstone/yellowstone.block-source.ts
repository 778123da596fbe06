import { blockKey, type BlockLink, type BlockRef, isSameBlock } from '@fresnel/domain/chain';
import { type Block, MalformedBlockError } from '@fresnel/domain/events';
import { type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type Backoff } from '../backoff';
import { type BlockSource, type ChainTip } from '../block-source';
import { LinkedAbort } from '../linked-abort';
import { type RpcBlockSource } from '../rpc.block-source';
import { type BlockFrame } from './block-frame.codec';
import { BlockStream } from './block-stream';
import { FrameChain } from './frame-chain';
import { type GeyserEndpoint } from './geyser-client';

export interface YellowstoneBlockSourceOptions extends GeyserEndpoint {
  /** Without a block for so long, the stream is opened anew. */
  silenceMs: number;
  backoff: Backoff;
  /** Blocks that are fetched at the same time. */
  concurrency: number;
  /**
   * A block in which no transaction names this key is delivered without its transactions, straight from the stream. Null:
   * every block comes with all of its transactions.
   */
  onlyNaming: Pubkey | null;
}

interface Coming {
  frame: BlockFrame;
  /** Null where the node has no such block. */
  block: Promise<Block | null>;
}

/**
 * Follows a Yellowstone gRPC stream, and the node's RPC wherever the stream does not lead on.
 *
 * ```
 * polling RPC ── the stream has the child of the block at hand ──► following the stream
 *             ◄── it broke off, or left a block out ──────────────
 * ```
 *
 * The stream says that a block exists; what stands in it comes from RPC, and so do forks and missing history.
 */
export class YellowstoneBlockSource implements BlockSource {
  private streamTip: ChainTip | null = null;
  /** Blockhashes that the node was asked for in vain. A stream that sends earlier blocks again sends abandoned ones too. */
  private readonly denied = new Set<string>();

  constructor(
    private readonly rpc: RpcBlockSource,
    private readonly options: YellowstoneBlockSourceOptions,
    private readonly logger: Logger,
  ) {}

  get tip(): ChainTip | null {
    const polled = this.rpc.tip;
    if (!polled || !this.streamTip) return polled ?? this.streamTip;
    return polled.slot > this.streamTip.slot ? polled : this.streamTip;
  }

  identify(signal: AbortSignal): Promise<string> {
    return this.rpc.identify(signal);
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    const end = new LinkedAbort(signal);
    const frames = new FrameChain();
    const position = { last: after };
    const streaming = this.stream(frames, position, end.signal);
    // A stream that cannot even be tried ends everything; the reason comes out below.
    streaming.catch(() => {
      end.abort();
    });
    try {
      for await (const block of this.follow(after, frames, end.signal)) {
        position.last = block;
        yield block;
      }
    } catch (error) {
      if (!end.signal.aborted) throw error;
    } finally {
      end.abort();
      await streaming;
    }
  }

  findForkPoint(held: readonly BlockRef[], block: BlockLink, signal: AbortSignal): Promise<BlockRef | null> {
    return this.rpc.findForkPoint(held, block, signal);
  }

  async has(block: BlockRef, signal: AbortSignal): Promise<boolean> {
    const isThere = await this.rpc.has(block, signal);
    if (!isThere) this.denied.add(blockKey(block));
    return isThere;
  }

  private stream(frames: FrameChain, position: { last: BlockRef | null }, signal: AbortSignal): Promise<void> {
    const { onlyNaming: watched, ...options } = this.options;
    const listener = {
      firstWanted: () => position.last && toSlot(position.last.slot + 1),
      onBlock: (frame: BlockFrame) => {
        if (this.denied.has(blockKey(frame))) return;
        if (frame.slot >= (this.streamTip?.slot ?? 0)) this.streamTip = { slot: frame.slot, seenAt: new Date() };
        frames.add(frame);
        if (!frames.isLive) frames.isLive = true;
      },
      onBreak: () => {
        frames.isLive = false;
      },
    };
    return new BlockStream({ ...options, watched }, this.logger).run(listener, signal);
  }

  private async *follow(after: BlockRef | null, frames: FrameChain, signal: AbortSignal): AsyncIterable<Block> {
    let last = after;
    while (!signal.aborted) {
      for await (const block of this.poll(last, frames, signal)) {
        yield block;
        last = block;
      }
      if (!last) continue;
      for await (const block of this.takeStreamed(last, frames, signal)) {
        yield block;
        last = block;
      }
    }
  }

  /** Blocks by RPC, until the stream has the one behind the last. */
  private async *poll(last: BlockRef | null, frames: FrameChain, signal: AbortSignal): AsyncIterable<Block> {
    const end = new LinkedAbort(signal);
    let held = last;
    const checkStream = () => {
      if (held && frames.hasChild(held)) end.abort();
    };
    const unsubscribe = frames.onChange(checkStream);
    try {
      checkStream();
      for await (const block of this.rpc.blocks(last, end.signal)) {
        held = block;
        yield block;
        checkStream();
      }
    } finally {
      unsubscribe();
      end.abort();
    }
  }

  /** Blocks that the stream tells of, as long as one leads to the next and the node agrees. */
  private async *takeStreamed(last: BlockRef, frames: FrameChain, signal: AbortSignal): AsyncIterable<Block> {
    const end = new LinkedAbort(signal);
    const ahead: Coming[] = [];
    let newest = last;
    try {
      for (;;) {
        newest = this.lookAhead(newest, ahead, frames, end.signal);
        const next = ahead.shift();
        if (next) {
          const block = await next.block;
          if (!block || !this.isSame(block, next.frame)) return;
          yield block;
        } else if (!frames.isLive || frames.isBeyond(newest)) {
          return;
        } else {
          await frames.whenChanged(end.signal);
        }
      }
    } finally {
      end.abort(); // blocks that were asked for ahead are not wanted any more
    }
  }

  /** Begins to fetch the blocks that are known to follow. @returns the last of them */
  private lookAhead(newest: BlockRef, ahead: Coming[], frames: FrameChain, signal: AbortSignal): BlockRef {
    let last = newest;
    while (ahead.length < this.options.concurrency) {
      const frame = frames.takeChild(last);
      if (!frame) break;
      const block = frame.hasWanted ? this.rpc.fetchBlock(frame.slot, signal) : Promise.resolve(toBlock(frame));
      block.catch(() => undefined); // it is awaited later, or not at all
      ahead.push({ frame, block });
      last = frame;
    }
    return last;
  }

  /** Where node and stream differ about a slot, polling tells what became of the chain. */
  private isSame(block: Block, frame: BlockFrame): boolean {
    const isSame = isSameBlock(block, frame) && block.parentBlockhash.equals(frame.parentBlockhash);
    if (!isSame) this.logger.warn({ slot: frame.slot }, 'node and stream have different blocks at one slot');
    return isSame;
  }
}

/** A block of which no transaction is wanted. */
function toBlock(frame: BlockFrame): Block {
  const { slot, parentSlot, blockhash, parentBlockhash, blockTime, blockHeight } = frame;
  const textOf = (index: number) => {
    throw new MalformedBlockError(`block ${slot} came without transactions: there is no text of number ${index}`);
  };
  return { slot, parentSlot, blockhash, parentBlockhash, blockTime, blockHeight, transactions: [], textOf };
}
