import { keyOf, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type HistoryHole, type HistoryPage, type HistorySlot, type HistoryTransaction } from './history-source';

/**
 * Merges what a source says about several accounts, each in pages of its own that attest the same range. A transaction that names
 * several of them is given once.
 *
 * @returns pages that attest what those of all accounts attest
 */
export async function* mergePages(sources: readonly AsyncIterable<HistoryPage>[]): AsyncIterable<HistoryPage> {
  const readers = sources.map((pages) => new PageReader(pages));
  let from: Slot | null = null;
  try {
    for (;;) {
      const last = readers.reduce((one, other) => (other.to < one.to ? other : one));
      const page = await last.read();
      if (!page) return;
      from ??= page.from;
      const to = Math.min(...readers.map((reader) => reader.to));
      if (to < from) continue;
      const parts = readers.map((reader) => reader.take(to));
      const slots = mergeSlots(parts.flatMap((part) => part.slots));
      yield { from, to: toSlot(to), slots, holes: mergeHoles(parts.flatMap((part) => part.holes)) };
      from = toSlot(to + 1);
    }
  } finally {
    for (const reader of readers) await reader.close();
  }
}

/** What the pages about one account attest and is not given yet. */
class PageReader {
  /** The last slot that is attested. */
  to = -1;
  private slots: HistorySlot[] = [];
  private holes: HistoryHole[] = [];
  private readonly pages: AsyncIterator<HistoryPage>;

  constructor(pages: AsyncIterable<HistoryPage>) {
    this.pages = pages[Symbol.asyncIterator]();
  }

  /** @returns null at the end */
  async read(): Promise<HistoryPage | null> {
    const result = await this.pages.next();
    if (result.done) return null;
    const { value } = result;
    this.to = value.to;
    this.slots.push(...value.slots);
    this.holes.push(...value.holes);
    return value;
  }

  /** Gives what is known up to a slot. */
  take(to: number): Pick<HistoryPage, 'slots' | 'holes'> {
    const isTaken = ({ slot }: { slot: Slot }) => slot <= to;
    const taken = { slots: this.slots.filter(isTaken), holes: this.holes.filter(isTaken) };
    this.slots = this.slots.filter(({ slot }) => slot > to);
    this.holes = this.holes.filter(({ slot }) => slot > to);
    return taken;
  }

  async close(): Promise<void> {
    await this.pages.return?.();
  }
}

function mergeSlots(slots: readonly HistorySlot[]): HistorySlot[] {
  const merged = new Map<Slot, HistorySlot>();
  for (const slot of slots) {
    const transactions = [...(merged.get(slot.slot)?.transactions ?? []), ...slot.transactions];
    merged.set(slot.slot, { ...slot, transactions });
  }
  for (const slot of merged.values()) slot.transactions = mergeTransactions(slot.transactions);
  return [...merged.values()].sort((a, b) => a.slot - b.slot);
}

function mergeTransactions(transactions: readonly HistoryTransaction[]): HistoryTransaction[] {
  const named = transactions.map((each) => [each.signature ? keyOf(each.signature) : each.json, each] as const);
  return [...new Map(named).values()].sort((a, b) => a.index - b.index);
}

function mergeHoles(holes: readonly HistoryHole[]): HistoryHole[] {
  return [...new Map(holes.map((hole) => [`${hole.slot} ${hole.index} ${hole.reason}`, hole])).values()];
}
