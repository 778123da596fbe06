import { keyOf, type Signature, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type HistoryHole, type HistoryPage, type HistorySlot, type HistoryTransaction } from './history-source';

/**
 * Merges pages that attest the same range: what a source says about several accounts, or what several sources say. A transaction that
 * several have is given once, as the last one has it; if that one has lost a part of it, as another one has it.
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
      yield { from, to: toSlot(to), ...mergeParts(parts) };
      from = toSlot(to + 1);
    }
  } finally {
    for (const reader of readers) await reader.close();
  }
}

type Part = Pick<HistoryPage, 'slots' | 'holes'>;

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
  take(to: number): Part {
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

function mergeParts(parts: readonly Part[]): Part {
  const slots = new Map<Slot, HistorySlot>();
  /** By slot, then by the name of a transaction. */
  const merged = new Map<Slot, Map<string, Candidate>>();
  for (const part of parts) {
    for (const slot of part.slots) {
      const known = slots.get(slot.slot);
      slots.set(slot.slot, {
        ...slot,
        blockTime: slot.blockTime ?? known?.blockTime ?? null,
        link: slot.link ?? known?.link ?? null,
      });
      const candidates = merged.get(slot.slot) ?? new Map<string, Candidate>();
      merged.set(slot.slot, candidates);
      for (const candidate of candidatesOf(slot, part.holes)) {
        const name = nameOf(candidate.transaction);
        if (!candidate.hole || !candidates.has(name)) candidates.set(name, candidate);
      }
    }
  }
  const sorted = [...slots.values()].sort((a, b) => a.slot - b.slot);
  const chosen = ({ slot }: HistorySlot) => [...(merged.get(slot)?.values() ?? [])].sort(byIndex);
  return {
    slots: sorted.map((slot) => ({ ...slot, transactions: chosen(slot).map(({ transaction }) => transaction) })),
    holes: sorted.flatMap((slot) => chosen(slot).flatMap(({ hole }) => hole ?? [])),
  };
}

/** A transaction as one of several has it. */
interface Candidate {
  transaction: HistoryTransaction;
  /** What is lost of it. */
  hole: HistoryHole | undefined;
}

function candidatesOf({ slot, transactions }: HistorySlot, holes: readonly HistoryHole[]): Candidate[] {
  const inSlot = holes.filter((hole) => hole.slot === slot);
  return transactions.map((transaction) => ({
    transaction,
    hole: inSlot.find((hole) => hole.index === transaction.index && isSame(hole.signature, transaction.signature)),
  }));
}

function isSame(one: Signature | null, other: Signature | null): boolean {
  return one && other ? one.equals(other) : one === other;
}

function nameOf({ signature, json }: HistoryTransaction): string {
  return signature ? keyOf(signature) : json;
}

function byIndex({ transaction: a }: Candidate, { transaction: b }: Candidate): number {
  return a.index - b.index;
}
