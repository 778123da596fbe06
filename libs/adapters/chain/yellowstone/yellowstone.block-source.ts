import { type BlockRef, isSameBlock, type Commitment } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Backoff, type Logger } from '@fresnel/platform';
import { type BlockSource, type ChainTip } from '../block-source';
import { type BranchQuestion, type FinalizedBranch } from '../finalized-branch';
import { LinkedAbort } from '../linked-abort';
import { type RpcBlockSource } from '../rpc.block-source';
import { type BlockFrame } from './block-frame.codec';
import { BlockStream } from './block-stream';
import { FrameChain } from './frame-chain';
import { type GeyserEndpoint } from './geyser-client';

export interface YellowstoneBlockSourceOptions extends GeyserEndpoint {
  /** The stream is reopened after this time without a block. */
  silenceMs: number;
  backoff: Backoff;
  /** Number of blocks fetched at the same time. */
  concurrency: number;
  /**
   * If no transaction of a block names this key, the block is delivered from the stream without its transactions. Null:
   * every block is delivered with all of its transactions.
   */
  onlyNaming: Pubkey | null;
}

interface PendingBlock {
  frame: BlockFrame;
  /** Null if the node does not have the block. */
  block: Promise<Block | null>;
}

/**
 * Follows a Yellowstone gRPC stream, and polls RPC when the stream cannot continue.
 *
 * ```
 * polling RPC ── the stream has the child of the last block, or replays from it ──► following the stream
 *             ◄── the stream broke, or omitted a block ──────────────────────────
 * ```
 *
 * The stream announces blocks. Their transactions are read over RPC, which also detects forks and missing history.
 */
export class YellowstoneBlockSource implements BlockSource {
  /** The branch that was proven last. A resumed stream may send orphaned blocks again; they are ignored. */
  private finalized: FinalizedBranch | null = null;

  constructor(
    private readonly rpc: RpcBlockSource,
    private readonly options: YellowstoneBlockSourceOptions,
    private readonly logger: Logger,
  ) {}

  get tip(): ChainTip | null {
    return this.rpc.tip;
  }

  findCommitment(): Promise<Commitment> {
    return this.rpc.findCommitment();
  }

  identify(signal: AbortSignal): Promise<string> {
    return this.rpc.identify(signal);
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    const end = new LinkedAbort(signal);
    const frames = new FrameChain();
    const position = { last: after };
    const streaming = this.stream(frames, position, end.signal);
    // An invalid configuration of the stream ends the iteration; `await streaming` throws the reason.
    streaming.catch(() => {
      end.abort();
    });
    try {
      for await (const block of this.rpc.fillTimes(this.follow(after, frames, end.signal), end.signal)) {
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

  blocksFrom(slot: Slot, signal: AbortSignal): AsyncIterable<Block> {
    return this.rpc.blocksFrom(slot, signal);
  }

  async readFinalized(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    return (this.finalized = await this.rpc.readFinalized(question, signal));
  }

  findBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    return this.rpc.findBlock(slot, signal);
  }

  findTip(signal: AbortSignal): Promise<Slot> {
    return this.rpc.findTip(signal);
  }

  private stream(frames: FrameChain, position: { last: BlockRef | null }, signal: AbortSignal): Promise<void> {
    const { onlyNaming: watched, ...options } = this.options;
    const listener = {
      findCommitment: () => this.findCommitment(),
      findTip: (ended: AbortSignal) => this.rpc.findTip(ended),
      resumeSlot: () => position.last && toSlot(position.last.slot + 1),
      onBlock: (frame: BlockFrame) => {
        if (this.finalized?.excludes(frame)) return;
        this.rpc.reportTip(frame.slot);
        frames.add(frame);
        if (frames.state !== 'live') frames.state = 'live';
      },
      onReplay: () => {
        frames.state = 'replaying';
      },
      isFull: () => frames.isFull,
      waitForRoom: async (ended: AbortSignal) => {
        while (frames.isFull) await frames.waitForChange(ended);
      },
      onBreak: () => {
        frames.state = 'down';
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
      for await (const block of this.followStream(last, frames, signal)) {
        yield block;
        last = block;
      }
    }
  }

  /** Delivers blocks over RPC until the stream has the child of the last one, or is about to send it. */
  private async *poll(last: BlockRef | null, frames: FrameChain, signal: AbortSignal): AsyncIterable<Block> {
    const end = new LinkedAbort(signal);
    let newest = last;
    const checkStream = () => {
      if (newest && (frames.state === 'replaying' || frames.hasChild(newest))) end.abort();
    };
    const unsubscribe = frames.onChange(checkStream);
    try {
      checkStream();
      for await (const block of this.rpc.blocksAsGiven(last, end.signal)) {
        newest = block;
        yield block;
        checkStream();
      }
    } finally {
      unsubscribe();
      end.abort();
    }
  }

  /** Delivers blocks that the stream announces, until one is missing or the node has another block for its slot. */
  private async *followStream(last: BlockRef, frames: FrameChain, signal: AbortSignal): AsyncIterable<Block> {
    const end = new LinkedAbort(signal);
    const ahead: PendingBlock[] = [];
    let newest = last;
    frames.isFollowed = true;
    try {
      for (;;) {
        newest = this.fetchAhead(newest, ahead, frames, end.signal);
        const next = ahead.shift();
        if (next) {
          const block = await next.block;
          if (!block || !this.isSame(block, next.frame)) return;
          yield block;
        } else if (frames.state === 'down' || frames.isBeyond(newest)) {
          return;
        } else {
          await frames.waitForChange(end.signal);
        }
      }
    } finally {
      frames.isFollowed = false;
      end.abort(); // cancels the requests for blocks fetched ahead
    }
  }

  /** Starts to fetch the announced descendants of a block. @returns the last of them */
  private fetchAhead(newest: BlockRef, ahead: PendingBlock[], frames: FrameChain, signal: AbortSignal): BlockRef {
    let last = newest;
    while (ahead.length < this.options.concurrency) {
      const frame = frames.takeChild(last);
      if (!frame) break;
      const block = frame.needsFetch ? this.rpc.fetchBlock(frame.slot, signal) : Promise.resolve(toBlock(frame));
      block.catch(() => undefined); // awaited later, or never
      ahead.push({ frame, block });
      last = frame;
    }
    return last;
  }

  /** Compares the block of the node with the frame. If they differ, polling continues and detects a fork. */
  private isSame(block: Block, frame: BlockFrame): boolean {
    const isSame = isSameBlock(block, frame) && block.parentBlockhash.equals(frame.parentBlockhash);
    if (!isSame) this.logger.warn({ slot: frame.slot }, 'node and stream have different blocks at one slot');
    return isSame;
  }
}

/** A block without its transactions: none is needed. */
function toBlock(frame: BlockFrame): Block {
  const { slot, parentSlot, blockhash, parentBlockhash, blockTime, blockHeight, transactionCount } = frame;
  const header = { slot, parentSlot, blockhash, parentBlockhash, blockTime, blockHeight };
  return { ...header, transactionCount, transactions: [], signatures: null };
}
