import { countInstructions } from '@fresnel/domain/events';
import { keyOf, type Signature, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type HistoryHole, type HistoryPage, type HistorySlot, type HistoryTransaction } from './history-source';

/**
 * Merges pages that attest the same range: what a source says about several accounts, or what several sources say. A transaction that
 * several have is given once, as the last one has it; if that one has lost a part of it or some of its instructions, as another one
 * has it.
 *
 * @returns pages that attest what those of all accounts attest
 */
export async function* mergePages(sources: readonly AsyncIterable<HistoryPage>[]): AsyncIterable<HistoryPage> {
  const cursors = sources.map((pages) => new PageCursor(pages));
  let from: Slot | null = null;
  try {
    for (;;) {
      const last = cursors.reduce((one, other) => (other.to < one.to ? other : one));
      const page = await last.read();
      if (!page) return;
      from ??= page.from;
      const to = Math.min(...cursors.map((cursor) => cursor.to));
      if (to < from) continue;
      const parts = cursors.map((cursor) => cursor.take(to));
      yield { from, to: toSlot(to), ...mergeParts(parts) };
      from = toSlot(to + 1);
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

type Part = Pick<HistoryPage, 'slots' | 'holes'>;

/** What the pages about one account attest and is not given yet. */
class PageCursor {
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
  const merged = new Map<Slot, MergedSlot>();
  for (const { slots, holes } of parts) {
    for (const slot of slots) {
      const known = merged.get(slot.slot);
      merged.set(slot.slot, known ? mergeSlot(known, slot, holes) : { slot, candidates: candidatesOf(slot, holes) });
    }
  }
  const sorted = [...merged.values()].sort((a, b) => a.slot.slot - b.slot.slot);
  return {
    slots: sorted.map(({ slot, candidates }) => ({
      ...slot,
      transactions: [...candidates.values()].map(({ transaction }) => transaction).sort((a, b) => a.index - b.index),
    })),
    holes: sorted.flatMap(({ candidates }) => [...candidates.values()].flatMap(({ hole }) => hole ?? [])),
  };
}

interface MergedSlot {
  slot: HistorySlot;
  /** By the name of the transaction. */
  candidates: Map<string, Candidate>;
}

/** A transaction as one of several has it. */
interface Candidate {
  transaction: HistoryTransaction;
  /** What is lost of it. */
  hole: HistoryHole | undefined;
  /** Whether its index is given to several transactions, so that it tells nothing. */
  isTied: boolean;
}

function mergeSlot(
  { slot: known, candidates }: MergedSlot,
  slot: HistorySlot,
  holes: readonly HistoryHole[],
): MergedSlot {
  const blockTime = slot.blockTime ?? known.blockTime;
  const all = new Map(candidates);
  for (const [name, candidate] of candidatesOf(slot, holes)) all.set(name, better(candidate, candidates.get(name)));
  // Indexes of two sources cannot be compared if one of them has only placeholders.
  const [{ transaction: first }] = all.values();
  const { index } = first;
  if ([...all.values()].some(({ isTied }) => isTied)) {
    for (const [name, each] of all)
      all.set(name, { ...each, transaction: { ...each.transaction, index }, isTied: true });
  }
  return { slot: { ...slot, blockTime, link: slot.link ?? known.link }, candidates: all };
}

/** The newer one, apart from what only the older one has: the whole, more instructions, or an index of its own. */
function better(newer: Candidate, older: Candidate | undefined): Candidate {
  if (!older) return newer;
  const best = newer.hole || hasMoreThan(older, newer) ? older : newer;
  const { isTied, transaction } = newer.isTied ? older : newer;
  return { ...best, transaction: { ...best.transaction, index: transaction.index }, isTied };
}

/** Whether it has more instructions. A source that lacks the last one of a transaction may not know that. */
function hasMoreThan({ transaction, hole }: Candidate, { transaction: { json } }: Candidate): boolean {
  return !hole && transaction.json !== json && countInstructions(transaction.json) > countInstructions(json);
}

function candidatesOf({ slot, transactions }: HistorySlot, holes: readonly HistoryHole[]): Map<string, Candidate> {
  const inSlot = holes.filter((hole) => hole.slot === slot);
  const isTied = new Set(transactions.map(({ index }) => index)).size < transactions.length;
  return new Map(
    transactions.map((transaction): [string, Candidate] => {
      const isHole = ({ index, signature }: HistoryHole) =>
        index === transaction.index && isSame(signature, transaction.signature);
      return [nameOf(transaction), { transaction, hole: inSlot.find(isHole), isTied }];
    }),
  );
}

function isSame(one: Signature | null, other: Signature | null): boolean {
  return one && other ? one.equals(other) : one === other;
}

function nameOf({ signature, json }: HistoryTransaction): string {
  return signature ? keyOf(signature) : json;
}
