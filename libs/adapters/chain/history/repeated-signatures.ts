import { writePlaceProblem } from '@fresnel/domain/state';
import { keyOf, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type HistoryPage, type HistorySlot, type HistoryTransaction, type SlotRange } from './history-source';

/** How far two blocks with the same transaction may be apart. A transaction is valid for 150 blocks; some slots have none. */
export const REPEAT_SLOTS = 512;

export interface RepeatOptions {
  /** Whether the chain has a block at a slot; null: that is not known. */
  hasBlock: (slot: Slot) => Promise<boolean | null>;
  logger: Logger;
}

/**
 * Decides where a transaction belongs that its source gives in two slots: before the migration to Alpenglow, one of them has no block on
 * the chain. The slot that has one is kept, and all transactions of the other one are dropped: none of them happened. If it is not known
 * which one has a block, all transactions of both are marked.
 *
 * ```
 *   │ 100 ··· x ··· 199 │ 200 ··· x ··· 299 │ 300 ··· 799      a page is given when the `REPEAT_SLOTS` after it are known
 * ```
 */
export async function* decideRepeats(
  pages: AsyncIterable<HistoryPage>,
  options: RepeatOptions,
): AsyncIterable<HistoryPage> {
  const repeats = new Repeats(options);
  const held: HistoryPage[] = [];
  for await (const page of pages) {
    repeats.add(page);
    held.push(page);
    for (let first = held.at(0); first && first.to + REPEAT_SLOTS <= page.to; first = held.at(0)) {
      yield await repeats.decide(first);
      held.shift();
    }
    repeats.forgetBefore(held[0].from - REPEAT_SLOTS);
  }
  for (const page of held) yield await repeats.decide(page);
}

/** The part of pages that is in a range. */
export async function* cutPages(pages: AsyncIterable<HistoryPage>, range: SlotRange): AsyncIterable<HistoryPage> {
  for await (const page of pages) {
    if (page.from > range.to) return;
    if (page.to < range.from) continue;
    const [from, to] = [Math.max(page.from, range.from), Math.min(page.to, range.to)].map(toSlot);
    const isInside = ({ slot }: { slot: Slot }) => slot >= from && slot <= to;
    yield { from, to, slots: page.slots.filter(isInside), holes: page.holes.filter(isInside) };
  }
}

/** The slots of signatures. */
class Repeats {
  /** By signature, in the order of the chain. */
  private readonly slots = new Map<string, Slot[]>();
  private readonly blocks = new Map<Slot, Promise<boolean | null>>();

  constructor(private readonly options: RepeatOptions) {}

  add({ slots }: HistoryPage): void {
    for (const { slot, transactions } of slots) {
      for (const { signature } of transactions) {
        if (!signature) continue;
        const known = this.slots.get(keyOf(signature));
        if (known) known.push(slot);
        else this.slots.set(keyOf(signature), [slot]);
      }
    }
  }

  forgetBefore(slot: number): void {
    for (const [signature, slots] of this.slots) {
      if (slots[0] >= slot) return;
      this.slots.delete(signature);
    }
  }

  async decide(page: HistoryPage): Promise<HistoryPage> {
    const slots: HistorySlot[] = [];
    for (const slot of page.slots) slots.push(await this.decideSlot(slot));
    const isKept = (slot: Slot) => slots.some((each) => each.slot === slot && each.transactions.length > 0);
    return { ...page, slots, holes: page.holes.filter((hole) => isKept(hole.slot)) };
  }

  private async decideSlot(slot: HistorySlot): Promise<HistorySlot> {
    let problem: string | null = null;
    for (const transaction of slot.transactions) {
      const others = this.othersOf(transaction, slot.slot);
      if (others.length === 0) continue;
      const place = await this.findPlace([slot.slot, ...others]);
      const signature = transaction.signature && toBase58(transaction.signature);
      const values = { signature, slot: slot.slot, others, place };
      this.options.logger.warn(values, 'a history source gives a transaction in several slots');
      if (place !== null) return place === slot.slot ? slot : { ...slot, transactions: [] };
      const detail = `a transaction of this slot is also in slot ${others.join(' and in slot ')}`;
      problem ??= writePlaceProblem('signature-in-two-slots', detail);
    }
    if (problem === null) return slot;
    const marked = { problem };
    return { ...slot, transactions: slot.transactions.map((transaction) => ({ ...transaction, ...marked })) };
  }

  private othersOf({ signature }: HistoryTransaction, slot: Slot): Slot[] {
    const slots = signature ? this.slots.get(keyOf(signature)) : undefined;
    if (!slots || slots.length === 1) return [];
    return slots.filter((other) => other !== slot && Math.abs(other - slot) <= REPEAT_SLOTS);
  }

  /** The only one of some slots that has a block, or that may have one; null if that is not known. */
  private async findPlace(slots: readonly Slot[]): Promise<Slot | null> {
    const [onChain, possible]: [Slot[], Slot[]] = [[], []];
    for (const slot of slots) {
      const hasBlock = this.blocks.get(slot) ?? this.options.hasBlock(slot);
      this.blocks.set(slot, hasBlock);
      if (await hasBlock) onChain.push(slot);
      if ((await hasBlock) !== false) possible.push(slot);
    }
    const places = onChain.length > 0 ? onChain : possible;
    return places.length === 1 ? places[0] : null;
  }
}
