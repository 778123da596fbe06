import { type BlockLink, type BlockRef, isChildOf } from '@fresnel/domain/chain';
import { type Block, MalformedBlockError } from '@fresnel/domain/events';
import { asFields, asSlot, asSlots, asText, parseHash, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { wait } from './backoff';
import { type BlockSource, type ChainTip, ForkError, firstSlotWithSignatures } from './block-source';
import { type BlockReader } from './block-reader';
import { type BranchQuestion, type FinalizedBranch } from './finalized-branch';
import { timeFetch } from './fetch-periods';
import { LinkedAbort } from './linked-abort';
import { RpcFinalizedBranch } from './rpc.finalized-branch';
import { type BlockRequest, COMMITMENT, getBlock, getTip, SKIPPED } from './rpc.get-block';
import { RpcHistory } from './rpc.history';
import { RpcAnswerError } from './rpc-answer';
import { type SolanaRpc } from './solana-rpc';
import { TipTracker } from './tip-tracker';

export interface RpcBlockSourceOptions {
  /** First slot of a new index; null: the slot where ZK Compression starts on the cluster. */
  startSlot: Slot | null;
  /** Number of blocks fetched at the same time. */
  concurrency: number;
  pollIntervalMs: number;
  reader: BlockReader;
}

/** The first slot with ZK Compression, by genesis hash. Other chains are indexed from their first block. */
const CLUSTER_START: ReadonlyMap<string, number> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 286_193_746],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 319_998_226],
]);

/** After this many "skipped" responses for the parent of a block, the block counts as orphaned. */
const ANCESTOR_ATTEMPTS = 50;
/** How long a single block is requested. */
const FIND_BLOCK_MS = 10_000;
/** Maximum range of `getBlocks`. */
const MAX_LIST_RANGE = 500_000;
const USUAL_LIST_RANGE = 1_000;

/** Polls a node: lists new blocks, fetches several at the same time, and delivers them in order. */
export class RpcBlockSource implements BlockSource {
  private readonly tips = new TipTracker();
  /** Number of slots per `getBlocks` call. It grows where blocks are sparse. */
  private listRange = USUAL_LIST_RANGE;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly options: RpcBlockSourceOptions,
    private readonly logger: Logger,
  ) {}

  get tip(): ChainTip | null {
    return this.tips.tip;
  }

  /** Adds a slot that another connection to the cluster has reported. */
  reportTip(slot: Slot): void {
    this.tips.report(slot);
  }

  async identify(signal: AbortSignal): Promise<string> {
    const parse = (result: unknown) => toBase58(parseHash(asText(result)));
    return this.rpc.call({ method: 'getGenesisHash', params: [], parse }, signal);
  }

  blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    return this.deliver(after, after && toSlot(after.slot + 1), signal);
  }

  /** @param wanted the first slot; null: that of a new index */
  private async *deliver(after: BlockRef | null, wanted: Slot | null, signal: AbortSignal): AsyncIterable<Block> {
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
    return this.deliver(null, slot, signal);
  }

  readFinalized(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    return new RpcFinalizedBranch(this.rpc).read(question, signal);
  }

  findBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    const request = { ...this.fullBlockRequest(slot), finalCodes: SKIPPED, retryForMs: FIND_BLOCK_MS };
    return orNullIfSkipped(getBlock(this.rpc, request, signal));
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
    let next = first;
    while (!signal.aborted) {
      const tip = await this.waitForTip(next, signal);
      if (tip === null) {
        next = last ? toSlot(last.slot + 1) : first;
        continue;
      }
      const { slots, until } = await this.listBlocks(next, tip, signal);
      for await (const block of this.fetchInOrder(slots, signal)) {
        for await (const linked of this.linkTo(last, block, wanted, signal)) {
          yield linked;
          last = linked;
        }
      }
      next = toSlot(until + 1);
    }
  }

  /** The first slot of a new index; null: the oldest slot of the node. */
  private async findStartSlot(signal: AbortSignal): Promise<Slot | null> {
    const clusterStart = CLUSTER_START.get(await this.identify(signal));
    return this.options.startSlot ?? (clusterStart === undefined ? null : toSlot(clusterStart));
  }

  /**
   * Polls until the tip reaches the slot. Nodes behind a load balancer may report an older slot, or rarely a wrong one.
   *
   * @returns null if the slot is far beyond the tip: an earlier tip was wrong, and slots up to it were searched in vain
   */
  private async waitForTip(slot: Slot, signal: AbortSignal): Promise<Slot | null> {
    for (let attempt = 1; ; attempt++) {
      this.tips.report(await getTip(this.rpc, signal));
      const seen = this.tip?.slot ?? null;
      if (seen === null && attempt === 1) continue; // the second report confirms the first
      if (seen !== null && seen >= slot) return seen;
      await wait(this.options.pollIntervalMs, signal);
      if (seen !== null && seen < slot - 1) return null;
    }
  }

  /** Lists the blocks from `from` to the tip, limited to `listRange` slots. */
  private async listBlocks(from: Slot, tip: Slot, signal: AbortSignal): Promise<{ slots: Slot[]; until: Slot }> {
    const until = toSlot(Math.min(tip, from + this.listRange - 1));
    const params = [from, until, COMMITMENT];
    const slots = await this.rpc.call({ method: 'getBlocks', params, parse: asSlots }, signal);
    // A list that ends at the tip is always short, so its length does not show how sparse blocks are.
    const isSparse = until < tip && slots.length < this.listRange / 100;
    this.listRange = isSparse ? Math.min(this.listRange * 8, MAX_LIST_RANGE) : USUAL_LIST_RANGE;
    const last = slots.at(-1) ?? from - 1;
    if (until < tip || last >= tip) return { slots, until };
    // Another node behind the load balancer reported the tip; this one does not list it yet.
    await wait(this.options.pollIntervalMs, signal);
    return { slots, until: toSlot(last) };
  }

  private async *fetchInOrder(slots: readonly Slot[], signal: AbortSignal): AsyncIterable<Block> {
    const ahead: Promise<Block | null>[] = [];
    for (let at = 0; at < slots.length || ahead.length > 0;) {
      while (at < slots.length && ahead.length < this.options.concurrency) {
        const fetching = this.fetchBlock(slots[at++], signal);
        fetching.catch(() => undefined); // awaited later, or never
        ahead.push(fetching);
      }
      const block = await ahead.shift();
      if (block) yield block;
    }
  }

  /**
   * Delivers a block. Before it, delivers its ancestors that `getBlocks` omitted: those after `last`, or from slot
   * `wanted` on if nothing was delivered yet.
   *
   * @throws ForkError when the oldest of these blocks is not the child of `last`
   */
  private async *linkTo(
    last: BlockRef | null,
    block: Block,
    wanted: Slot | null,
    signal: AbortSignal,
  ): AsyncIterable<Block> {
    const from = last ? last.slot + 1 : wanted;
    const missing = from === null ? [] : await this.findMissing(from, block, signal);
    let parent = last;
    for (const slot of missing) {
      const ancestor = await this.fetchAncestor(block, this.fullBlockRequest(slot), signal);
      if (parent) requireChild(parent, ancestor);
      yield ancestor;
      parent = ancestor;
    }
    if (parent) requireChild(parent, block);
    yield block;
  }

  /** Slots of the ancestors of a block at or above slot `from`, ascending. */
  private async findMissing(from: number, block: Block, signal: AbortSignal): Promise<Slot[]> {
    const missing: Slot[] = [];
    let { slot, parentSlot } = block;
    // The first block of a chain is its own parent.
    while (parentSlot >= from && parentSlot < slot) {
      missing.push(parentSlot);
      slot = parentSlot;
      parentSlot = await this.fetchAncestor(block, parentSlotRequest(slot), signal);
    }
    if (missing.length > 0) {
      this.logger.info({ from: missing.at(-1), to: missing[0] }, 'the node did not list some blocks, fetching them');
    }
    return missing.reverse();
  }

  /**
   * Requests one block until the node returns it or a permanent error.
   *
   * @returns null if the slot was skipped
   * @throws ChainVersionError, MissingHistoryError; the signal's reason when it aborts
   */
  async fetchBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    const readBody = (body: readonly Uint8Array[], requestId: number) => this.readBlock(body, slot, requestId);
    const request = { slot, transactionDetails: 'full', readBody, finalCodes: SKIPPED } as const;
    return timeFetch(() => orNullIfSkipped(getBlock(this.rpc, request, signal)));
  }

  private fullBlockRequest(slot: Slot): BlockRequest<Block> {
    const readBody = async (body: readonly Uint8Array[], requestId: number) => {
      const block = await this.readBlock(body, slot, requestId);
      if (!block) throw new MalformedBlockError(`block ${slot}: expected an object`);
      return block;
    };
    return { slot, transactionDetails: 'full', readBody };
  }

  private readBlock(body: readonly Uint8Array[], slot: Slot, requestId: number): Promise<Block | null> {
    return this.options.reader.read(body, { requestId, slot, signaturesFrom: firstSlotWithSignatures(this.tip) });
  }

  /**
   * Requests an ancestor of a delivered block. It must exist, so the node is behind if it does not have it.
   *
   * @throws ForkError when the node still does not have it after all attempts: then the descendant is orphaned
   */
  private async fetchAncestor<Result>(
    descendant: BlockLink,
    request: BlockRequest<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    for (let attempt = 1; attempt <= ANCESTOR_ATTEMPTS; attempt++) {
      const found = await orNullIfSkipped(getBlock(this.rpc, { ...request, finalCodes: SKIPPED }, signal));
      if (found !== null) return found;
      await wait(this.options.pollIntervalMs, signal);
    }
    throw new ForkError(
      `block ${descendant.slot} descends from block ${request.slot}, but the node reports that slot as skipped`,
      descendant,
    );
  }
}

function parentSlotRequest(slot: Slot): BlockRequest<Slot> {
  return { slot, transactionDetails: 'none', parse: (result) => asSlot(asFields(result).parentSlot) };
}

async function orNullIfSkipped<Result>(answer: Promise<Result>): Promise<Result | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcAnswerError && SKIPPED.includes(error.rpcCode)) return null;
    throw error;
  }
}

function requireChild(parent: BlockRef, block: Block): void {
  if (isChildOf(block, parent)) return;
  const actual = `${block.parentSlot} (${toBase58(block.parentBlockhash)})`;
  const expected = `${parent.slot} (${toBase58(parent.blockhash)})`;
  throw new ForkError(
    `the parent of block ${block.slot} is ${actual}, the last block is ${expected}: the chain switched to another branch`,
    block,
  );
}
