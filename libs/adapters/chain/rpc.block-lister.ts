import { asSlots, type Slot, toSlot } from '@fresnel/domain/primitives';
import { wait } from '@fresnel/platform/time';
import { RpcAnswerError } from './rpc-answer';
import { type RpcCall, RpcUnavailableError, type SolanaRpc } from './solana-rpc';

/** Slots that have blocks according to a node. It may omit some. */
export interface BlockList {
  /** Ascending, each once, none outside of the range. */
  slots: Slot[];
  /** The last slot of the range. */
  until: Slot;
}

/** Maximum range of `getBlocks`. */
const MAX_RANGE = 500_000;
/** Slots that are listed at once unless blocks are sparse. */
export const USUAL_RANGE = 1_000;
/** The range grows and shrinks by this. */
const GROWTH = 8;
/** Lists before the range grows again after a node has refused a larger one. */
const LISTS_AFTER_REFUSAL = 16;
/** Attempts, at least two for each endpoint, before a range counts as too large. */
const MIN_ATTEMPTS = 4;
/** A node that lists no block in so many slots may have deleted them. */
const SUSPECT_GAP = 64;

/** Lists blocks. The range of a list grows where blocks are sparse, and shrinks if a node refuses it. */
export class BlockLister {
  private range = USUAL_RANGE;
  private listsBeforeGrowth = 0;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly pollIntervalMs: number,
  ) {}

  /** Lists the blocks from slot `from` to the tip, or of the largest range that nodes list at once. @throws RpcAnswerError */
  async list(from: Slot, tip: Slot, signal: AbortSignal): Promise<BlockList> {
    for (;;) {
      const until = toSlot(Math.min(tip, from + this.range - 1));
      const listed = await this.listOrShrink(from, until, signal);
      if (!listed) continue;
      const slots = isSuspect(listed, from, until) ? await this.listEverywhere(listed, from, until, signal) : listed;
      // A list that ends at the tip is always short, so its length does not show how sparse blocks are.
      this.grow(until < tip && slots.length < this.range / 100);
      const last = slots.at(-1) ?? from - 1;
      if (until < tip || last >= tip) return { slots, until };
      // Another node behind the load balancer reported the tip; this one does not list it yet.
      await wait(this.pollIntervalMs, signal);
      return { slots, until: toSlot(last) };
    }
  }

  /** The first slot of the newest blocks up to the tip, at least `count` of them if there are so many from slot `from` on. */
  async findNewest(count: number, from: Slot, tip: Slot, signal: AbortSignal): Promise<Slot> {
    let first = tip + 1;
    for (let found = 0; first > from && found < count;) {
      const start = toSlot(Math.max(from, first - this.range));
      const listed = await this.listOrShrink(start, toSlot(first - 1), signal);
      if (!listed) continue;
      this.grow(listed.length < this.range / 100);
      found += listed.length;
      first = start;
    }
    return toSlot(first);
  }

  /** @returns null if the range was refused: it is smaller then */
  private async listOrShrink(from: Slot, until: Slot, signal: AbortSignal): Promise<Slot[] | null> {
    const isSingle = from === until;
    const maxAttempts = isSingle ? Infinity : Math.max(MIN_ATTEMPTS, 2 * this.rpc.endpointCount);
    try {
      return await this.rpc.call({ ...(await this.listCall(from, until)), maxAttempts }, signal);
    } catch (error) {
      if (isSingle || !(error instanceof RpcAnswerError || error instanceof RpcUnavailableError)) throw error;
      this.range = Math.ceil((until - from + 1) / 2);
      this.listsBeforeGrowth = LISTS_AFTER_REFUSAL;
      return null;
    }
  }

  private grow(isSparse: boolean): void {
    if (this.listsBeforeGrowth > 0) this.listsBeforeGrowth--;
    else this.range = Math.min(this.range * GROWTH, isSparse ? MAX_RANGE : USUAL_RANGE);
  }

  /** Adds what the endpoints list that answer. */
  private async listEverywhere(listed: Slot[], from: Slot, until: Slot, signal: AbortSignal): Promise<Slot[]> {
    if (this.rpc.endpointCount === 1) return listed;
    const call = { ...(await this.listCall(from, until)), maxAttempts: 1 };
    const lists = await Promise.allSettled(this.rpc.endpoints().map((endpoint) => endpoint.call(call, signal)));
    signal.throwIfAborted();
    return inRange(
      [listed, ...lists.map((list) => (list.status === 'fulfilled' ? list.value : []))].flat(),
      from,
      until,
    );
  }

  private async listCall(from: Slot, until: Slot): Promise<RpcCall<Slot[]>> {
    const parse = (result: unknown) => inRange(asSlots(result), from, until);
    return { method: 'getBlocks', params: [from, until, { commitment: await this.rpc.findCommitment() }], parse };
  }
}

/** Nodes have listed slots twice, and slots outside of the range. */
function inRange(slots: readonly Slot[], from: Slot, until: Slot): Slot[] {
  return [...new Set(slots)].filter((slot) => slot >= from && slot <= until).sort((a, b) => a - b);
}

function isSuspect(slots: readonly Slot[], from: Slot, until: Slot): boolean {
  return (slots.at(0) ?? until + 1) - from >= SUSPECT_GAP;
}
