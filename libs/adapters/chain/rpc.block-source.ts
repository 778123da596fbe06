import { type BlockLink, type BlockRef, isChildOf } from '@fresnel/domain/chain';
import { type Block, parseBlock } from '@fresnel/domain/events';
import { asFields, asSlot, asSlots, asText, parseHash, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { wait } from './backoff';
import { type BlockSource, type ChainTip, ForkError, MissingHistoryError } from './block-source';
import { RpcForkFinder } from './rpc.fork-finder';
import { type BlockQuestion, COMMITMENT, getBlock, getTip, SKIPPED } from './rpc.get-block';
import { RpcAnswerError, type SolanaRpc } from './solana-rpc';

export interface RpcBlockSourceOptions {
  /** First slot wanted where there is nothing yet; null: the cluster's own beginning of ZK Compression. */
  startSlot: Slot | null;
  /** Blocks that are fetched at the same time. */
  concurrency: number;
  pollIntervalMs: number;
}

/** Where ZK Compression begins, by genesis hash. Elsewhere the chain is indexed from its start. */
const CLUSTER_START: ReadonlyMap<string, number> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 286_193_746],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 319_998_226],
]);

/** So often a block that another names as its parent may be called skipped, before the other is taken for abandoned. */
const ANCESTOR_ATTEMPTS = 50;
/** What a node lists in one answer, at most. */
const MAX_LIST_RANGE = 500_000;
const USUAL_LIST_RANGE = 1_000;

/** Follows a node by polling: lists the blocks that exist, fetches several at a time, delivers them in order. */
export class RpcBlockSource implements BlockSource {
  tip: ChainTip | null = null;
  /** Slots that are listed at a time; grows where blocks are far apart. */
  private listRange = USUAL_LIST_RANGE;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly options: RpcBlockSourceOptions,
    private readonly logger: Logger,
  ) {}

  async identify(signal: AbortSignal): Promise<string> {
    const parse = (result: unknown) => toBase58(parseHash(asText(result)));
    return this.rpc.call({ method: 'getGenesisHash', params: [], parse }, signal);
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    const end = new AbortController();
    try {
      yield* this.follow(after, AbortSignal.any([signal, end.signal]));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      end.abort(); // blocks that were asked for ahead are not wanted any more
    }
  }

  findForkPoint(held: readonly BlockRef[], block: BlockLink, signal: AbortSignal): Promise<BlockRef | null> {
    return new RpcForkFinder(this.rpc, this.logger).findForkPoint(held, block, signal);
  }

  has(block: BlockRef, signal: AbortSignal): Promise<boolean> {
    return new RpcForkFinder(this.rpc, this.logger).has(block, signal);
  }

  private async *follow(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    let last = after;
    const wanted = last ? toSlot(last.slot + 1) : await this.findStartSlot(signal);
    if (wanted !== null) await this.requireHistory(wanted, signal);
    let next = wanted ?? (await this.findOldestSlot(signal));
    while (!signal.aborted) {
      const tip = await this.waitForTip(next, signal);
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

  /** The first slot of a new index; null: whichever the node has first. */
  private async findStartSlot(signal: AbortSignal): Promise<Slot | null> {
    const clusterStart = CLUSTER_START.get(await this.identify(signal));
    return this.options.startSlot ?? (clusterStart === undefined ? null : toSlot(clusterStart));
  }

  private async findOldestSlot(signal: AbortSignal): Promise<Slot> {
    const first = await this.findFirstAvailable(signal);
    if (first > 0) this.logger.warn({ slot: first }, 'the node has no older blocks: indexing begins in the middle');
    return first;
  }

  /** @throws MissingHistoryError when the node no longer has the slot */
  private async requireHistory(slot: Slot, signal: AbortSignal): Promise<void> {
    const first = await this.findFirstAvailable(signal);
    if (first <= slot) return;
    throw new MissingHistoryError(
      `the node's first block is ${first}, wanted is ${slot}: use a node that keeps more history, or begin anew with INGEST_START_SLOT=${first} and an empty data folder (trees that began before refuse proofs then)`,
    );
  }

  /** 0 where a node does not tell. */
  private async findFirstAvailable(signal: AbortSignal): Promise<Slot> {
    try {
      return await this.rpc.call({ method: 'getFirstAvailableBlock', params: [], parse: asSlot }, signal);
    } catch (error) {
      if (error instanceof RpcAnswerError) return toSlot(0);
      throw error;
    }
  }

  /** Polls until the slot exists. A node behind a balancer may know less than the last one; the tip never goes back. */
  private async waitForTip(slot: Slot, signal: AbortSignal): Promise<Slot> {
    for (;;) {
      const answered = await getTip(this.rpc, signal);
      const seen = toSlot(Math.max(answered, this.tip?.slot ?? 0));
      this.tip = { slot: seen, seenAt: new Date() };
      if (seen >= slot) return seen;
      await wait(this.options.pollIntervalMs, signal);
    }
  }

  /** The blocks from `from` on, up to the tip or as many as are worth listing at once. */
  private async listBlocks(from: Slot, tip: Slot, signal: AbortSignal): Promise<{ slots: Slot[]; until: Slot }> {
    const until = toSlot(Math.min(tip, from + this.listRange - 1));
    const params = [from, until, COMMITMENT];
    const slots = await this.rpc.call({ method: 'getBlocks', params, parse: asSlots }, signal);
    // A list that ends at the tip is short, which says nothing about how far apart blocks are.
    const isSparse = until < tip && slots.length < this.listRange / 100;
    this.listRange = isSparse ? Math.min(this.listRange * 8, MAX_LIST_RANGE) : USUAL_LIST_RANGE;
    const last = slots.at(-1) ?? from - 1;
    if (until < tip || last >= tip) return { slots, until };
    // The tip exists, but the node that was asked does not list it yet.
    await wait(this.options.pollIntervalMs, signal);
    return { slots, until: toSlot(last) };
  }

  private async *fetchInOrder(slots: readonly Slot[], signal: AbortSignal): AsyncIterable<Block> {
    const ahead: Promise<Block | null>[] = [];
    for (let at = 0; at < slots.length || ahead.length > 0;) {
      while (at < slots.length && ahead.length < this.options.concurrency) {
        const fetching = this.fetchBlock(slots[at++], signal);
        fetching.catch(() => undefined); // it is awaited later, or not at all
        ahead.push(fetching);
      }
      const block = await ahead.shift();
      if (block) yield block;
    }
  }

  /**
   * The block, and before it those that the list left out: its ancestors down to the last one delivered, or to the first
   * slot wanted.
   *
   * @throws ForkError when they lead elsewhere
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
      const ancestor = await this.fetchAncestor(block, toFullQuestion(slot), signal);
      if (parent) requireChild(parent, ancestor);
      yield ancestor;
      parent = ancestor;
    }
    if (parent) requireChild(parent, block);
    yield block;
  }

  /** Slots of a block's ancestors from a slot on, ascending. */
  private async findMissing(from: number, block: Block, signal: AbortSignal): Promise<Slot[]> {
    const missing: Slot[] = [];
    let { slot, parentSlot } = block;
    // The first block of a chain is its own parent.
    while (parentSlot >= from && parentSlot < slot) {
      missing.push(parentSlot);
      slot = parentSlot;
      parentSlot = await this.fetchAncestor(block, toParentQuestion(slot), signal);
    }
    if (missing.length > 0) {
      this.logger.info({ from: missing.at(-1), to: missing[0] }, 'blocks were not listed, fetching them');
    }
    return missing.reverse();
  }

  /**
   * Asks for one block until the node has it, or says why it never will.
   *
   * @returns null for a slot that has no block after all
   * @throws ChainVersionError, MissingHistoryError; the signal's reason when it says stop
   */
  async fetchBlock(slot: Slot, signal: AbortSignal): Promise<Block | null> {
    const parse = (result: unknown, json: string) =>
      result === null ? null : parseBlock(slot, result, json, ['result']);
    return orNullIfSkipped(getBlock(this.rpc, { ...toFullQuestion(slot), parse, finalCodes: SKIPPED }, signal));
  }

  /**
   * Asks for a block that exists, since a descendant of it does: a node that does not have it is behind.
   *
   * @throws ForkError when the node never has it: then the descendant is on the chain no more
   */
  private async fetchAncestor<Result>(
    descendant: BlockLink,
    question: BlockQuestion<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    for (let attempt = 1; attempt <= ANCESTOR_ATTEMPTS; attempt++) {
      const found = await orNullIfSkipped(getBlock(this.rpc, { ...question, finalCodes: SKIPPED }, signal));
      if (found !== null) return found;
      await wait(this.options.pollIntervalMs, signal);
    }
    throw new ForkError(`block ${descendant.slot} descends from ${question.slot}, which is skipped`, descendant);
  }
}

function toFullQuestion(slot: Slot): BlockQuestion<Block> {
  const parse = (result: unknown, json: string) => parseBlock(slot, result, json, ['result']);
  return { slot, transactionDetails: 'full', parse };
}

function toParentQuestion(slot: Slot): BlockQuestion<Slot> {
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
  const followed = `${block.parentSlot} (${toBase58(block.parentBlockhash)})`;
  const held = `${parent.slot} (${toBase58(parent.blockhash)})`;
  throw new ForkError(
    `block ${block.slot} follows ${followed}, the last one held is ${held}: the chain went on from another block`,
    block,
  );
}
