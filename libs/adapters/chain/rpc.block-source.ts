import { type BlockRef, type Commitment, isSparse } from '@fresnel/domain/chain';
import { type Block, type JsonCursor, MalformedBlockError } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { wait } from '@fresnel/platform/time';
import {
  type BlockSource,
  type ChainTip,
  firstSlotWithSignatures,
  MissingHistoryError,
  SIGNATURES_LAG_SLOTS,
} from './block-source';
import { PUBLIC_CLUSTERS } from './clusters';
import { type BranchQuestion, type FinalizedBranch } from './finalized-branch';
import { timeFetch } from './fetch-periods';
import { LinkedAbort } from './linked-abort';
import { readBlock } from './read-block';
import { AbandonedBlocks } from './rpc.abandoned-blocks';
import { BlockLinker } from './rpc.block-linker';
import { BlockLister, USUAL_RANGE } from './rpc.block-lister';
import { BlockTimes, type StoredTimes } from './rpc.block-times';
import { RpcFinalizedBranch } from './rpc.finalized-branch';
import { type BlockRequest, getBlock, getBlockIfAny, getTip } from './rpc.get-block';
import { findGenesisHash } from './rpc.genesis-hash';
import { RpcHistory } from './rpc.history';
import { type SolanaRpc } from './solana-rpc';
import { StuckEndpoint } from './stuck-endpoint';
import { TipTracker } from './tip-tracker';

export interface RpcBlockSourceOptions {
  /** First slot of a new index; null: the slot where ZK Compression starts on the cluster. */
  startSlot: Slot | null;
  /** Number of blocks fetched at the same time. */
  concurrency: number;
  pollIntervalMs: number;
  /** An endpoint that gives no new block for so long is left. */
  stuckAfterMs?: number;
  /** Only transactions that may name this program are kept; null: all transactions. */
  accountCompression: Pubkey | null;
  /** Default: no block is stored. */
  storedTimes?: StoredTimes;
}

const STUCK_AFTER_MS = 5_000;

/** A new index that fetches more blocks than this says so: on mainnet this is a two-hundredth of the past. */
const COSTLY_BLOCKS = 1_000_000;
/** How long a single block is requested. */
const FIND_BLOCK_MS = 10_000;
/** A block that lacks parts of its transactions is requested at least so often, and twice from each endpoint. */
const MIN_INCOMPLETE_ANSWERS = 6;

/** A block that a node has listed. */
interface ListedBlock {
  slot: Slot;
  /** Null if no endpoint has it now. */
  block: Block | null;
}

/** Polls a node: lists new blocks, fetches several at the same time, and delivers them in order. */
export class RpcBlockSource implements BlockSource {
  private readonly tips = new TipTracker();
  private readonly lister: BlockLister;
  private readonly linker: BlockLinker;
  private readonly times: BlockTimes;
  private readonly abandoned: AbandonedBlocks;
  /** Where blocks are sparse, the newest ones are further behind the tip than elsewhere: the first slot of them. */
  private newestFrom = Infinity;
  /** The genesis hash; null before it was read. */
  private chain: string | null = null;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly options: RpcBlockSourceOptions,
    private readonly logger: Logger,
  ) {
    const { pollIntervalMs, concurrency } = options;
    this.lister = new BlockLister(rpc, pollIntervalMs);
    this.times = new BlockTimes(rpc, pollIntervalMs, logger, options.storedTimes);
    const request = (slot: Slot) => this.blockRequest(slot);
    const identify = (signal: AbortSignal) => this.identify(signal);
    this.abandoned = new AbandonedBlocks(rpc, this.lister, { identify, concurrency }, logger);
    const isPublic = async (signal: AbortSignal) => PUBLIC_CLUSTERS.has(await identify(signal));
    this.linker = new BlockLinker(rpc, { pollIntervalMs, request, isPublic }, logger);
  }

  get tip(): ChainTip | null {
    return this.tips.tip;
  }

  findCommitment(): Promise<Commitment> {
    return this.rpc.findCommitment();
  }

  /** Adds a slot that another connection to the cluster has reported. */
  reportTip(slot: Slot): void {
    this.tips.report(slot);
  }

  async identify(signal: AbortSignal): Promise<string> {
    return (this.chain ??= await findGenesisHash(this.rpc, signal));
  }

  blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    return this.fillTimes(this.blocksAsGiven(after, signal), signal);
  }

  /** Like `blocks`, but blocks lack the times that the nodes do not know. */
  blocksAsGiven(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    return this.deliver(after, after && toSlot(after.slot + 1), signal);
  }

  /** @param wanted the first slot; null: that of a new index */
  private async *deliver(after: BlockRef | null, wanted: Slot | null, signal: AbortSignal): AsyncIterable<Block> {
    if (after && isSparse(after)) {
      throw new MissingHistoryError(
        `the index ends within the history that it reads from a source, at slot ${after.slot}: set HISTORY_URL, with which it began`,
      );
    }
    const end = new LinkedAbort(signal);
    try {
      yield* this.follow(after, wanted, end.signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      end.abort(); // cancels the requests for blocks fetched ahead
    }
  }

  blocksFrom(slot: Slot, signal: AbortSignal): AsyncIterable<Block> {
    return this.fillTimes(this.deliver(null, slot, signal), signal);
  }

  readFinalized(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    return new RpcFinalizedBranch(this.rpc).read(question, signal);
  }

  async findBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    const block = await getBlock(this.rpc, { ...this.blockRequest(slot), retryForMs: FIND_BLOCK_MS }, signal);
    return block && this.times.fillOne(block, signal);
  }

  /** Fills in the times that linked blocks lack. Ends when the signal aborts. */
  fillTimes(blocks: AsyncIterable<Block>, signal: AbortSignal): AsyncIterable<Block> {
    return this.times.fill(blocks, signal);
  }

  async findTip(signal: AbortSignal): Promise<Slot> {
    for (;;) {
      const tip = await this.waitForTip(toSlot(0), signal);
      if (tip !== null) return tip;
    }
  }

  private async *follow(after: BlockRef | null, from: Slot | null, signal: AbortSignal): AsyncIterable<Block> {
    let last = after;
    const wanted = from ?? (await this.findStartSlot(signal));
    const history = new RpcHistory(this.rpc, this.logger);
    if (wanted !== null) await history.requireSlot(wanted, signal);
    const first = wanted ?? (await history.findOldestSlot(signal));
    if (from === null) await this.announceCost(first, signal);
    let next = first;
    const stuck = new StuckEndpoint(this.rpc, this.options.stuckAfterMs ?? STUCK_AFTER_MS);
    while (!signal.aborted) {
      const tip = await this.waitForTip(next, signal, stuck);
      if (tip === null) {
        next = last ? toSlot(last.slot + 1) : first;
        continue;
      }
      if (this.newestFrom === Infinity && tip - next > SIGNATURES_LAG_SLOTS)
        this.newestFrom = await this.lister.findNewest(SIGNATURES_LAG_SLOTS, next, tip, signal);
      const { slots, until } = await this.lister.list(next, tip, signal);
      next = toSlot(until + 1);
      const kept = await this.abandoned.removeFrom(slots, tip, signal);
      for await (const { slot, block } of this.fetchInOrder(kept, signal)) {
        // Links of later blocks show whether the chain has this one. Without a later block it is listed and requested again.
        if (!block) next = toSlot(Math.min(next, slot));
        else {
          next = toSlot(until + 1);
          for await (const linked of this.linker.link(last, block, wanted, signal)) yield (last = linked);
          stuck.reset();
        }
      }
      if (next <= until) await wait(this.options.pollIntervalMs, signal);
    }
  }

  /** Says what a new index costs that fetches millions of blocks, before the first request, and how to avoid it. */
  private async announceCost(first: Slot, signal: AbortSignal): Promise<void> {
    if (!PUBLIC_CLUSTERS.has(await this.identify(signal))) return;
    const blocks = (await this.findTip(signal)) - first + 1;
    if (blocks <= COSTLY_BLOCKS) return;
    const values = { from: first, blocks, requests: blocks + Math.ceil(blocks / USUAL_RANGE) };
    this.logger.warn(
      values,
      'a new index without HISTORY_URL requests all past blocks from the node, one by one, which takes long and costs much: docs/mainnet.md says how to avoid it',
    );
  }

  /** The first slot of a new index; null: the oldest slot of the node. */
  private async findStartSlot(signal: AbortSignal): Promise<Slot | null> {
    const clusterStart = PUBLIC_CLUSTERS.get(await this.identify(signal))?.firstSlot ?? null;
    return this.options.startSlot ?? (clusterStart === null ? null : toSlot(clusterStart));
  }

  /**
   * Polls until the tip reaches the slot. Nodes behind a load balancer may report an older slot, or rarely a wrong one.
   *
   * @returns null if the slot is far beyond the tip: an earlier tip was wrong, and slots up to it were searched in vain
   */
  private async waitForTip(slot: Slot, signal: AbortSignal, stuck?: StuckEndpoint): Promise<Slot | null> {
    for (let attempt = 1; ; attempt++) {
      stuck?.leave();
      this.tips.report(await getTip(this.rpc, signal));
      const seen = this.tip?.slot ?? null;
      if (seen === null && attempt === 1) continue; // the second report confirms the first
      if (seen !== null && seen >= slot) return seen;
      await wait(this.options.pollIntervalMs, signal);
      if (seen !== null && seen < slot - 1) return null;
    }
  }

  private async *fetchInOrder(slots: readonly Slot[], signal: AbortSignal): AsyncIterable<ListedBlock> {
    const ahead: { slot: Slot; block: Promise<Block | null> }[] = [];
    for (let at = 0; at < slots.length || ahead.length > 0;) {
      while (at < slots.length && ahead.length < this.options.concurrency) {
        const slot = slots[at++];
        const block = this.fetchBlock(slot, signal);
        block.catch(() => undefined); // awaited later, or never
        ahead.push({ slot, block });
      }
      const next = ahead.shift();
      if (next) yield { slot: next.slot, block: await next.block };
    }
  }

  /**
   * Requests one block until the nodes answer.
   *
   * @returns null if an endpoint has no block at the slot, and none that answers has one
   * @throws ChainVersionError, MissingHistoryError; the signal's reason when it aborts
   */
  async fetchBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    return timeFetch(() => getBlockIfAny(this.rpc, this.blockRequest(slot), signal));
  }

  /** A request for a block with all parts. If no answer has them, the last one counts: its transactions become dead letters. */
  private blockRequest(slot: Slot): BlockRequest<Block> {
    let incomplete = 0;
    const { accountCompression } = this.options;
    const read = (cursor: JsonCursor) => {
      const signaturesFrom = Math.min(this.newestFrom, firstSlotWithSignatures(this.tip));
      const block = readBlock(cursor, { slot, accountCompression, signaturesFrom });
      const { missingPart } = block ?? {};
      if (missingPart === undefined) return block;
      if (++incomplete < Math.max(MIN_INCOMPLETE_ANSWERS, 2 * this.rpc.endpointCount))
        throw new MalformedBlockError(`block ${slot}: ${missingPart}`);
      this.logger.warn(
        { slot, missingPart },
        'no answer of the nodes has a whole block: transactions become dead letters',
      );
      return block;
    };
    return { slot, transactionDetails: 'full', read };
  }
}
