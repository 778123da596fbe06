import { type Slot } from '@fresnel/domain/primitives';
import { type GtfaItem } from './gtfa-items';
import { HistoryAnswerError, type SlotRange } from './history-source';

/** Checks that the answers to one question are in chain order, and removes what was given before. */
export class GtfaOrder<Item extends GtfaItem> {
  private lastSlot: Slot | null = null;
  /** Items of the last answer, and of the last slot. */
  private recent: readonly Item[] = [];

  constructor(private readonly range: SlotRange) {}

  /**
   * Takes the items of an answer. After an error, the question continues where it was.
   *
   * @returns those that no earlier answer had
   * @throws HistoryAnswerError if they are out of order or range, or if none of them is new
   */
  accept(items: readonly Item[]): Item[] {
    const known = new Set(this.recent.map(nameOf));
    const fresh: Item[] = [];
    let last = this.lastSlot ?? this.range.from;
    for (const item of items) {
      const name = nameOf(item);
      if (known.has(name)) continue;
      if (item.slot < last || item.slot > this.range.to) throw misplaced(item, last, this.range);
      known.add(name);
      fresh.push(item);
      last = item.slot;
    }
    if (fresh.length === 0 && items.length > 0) throw new HistoryAnswerError('an answer repeats the one before');
    this.recent = [...this.recent.filter(({ slot }) => slot === last), ...fresh];
    this.lastSlot = last;
    return fresh;
  }
}

/** Before the migration to Alpenglow, a transaction can be in two slots, of which one has no block on the chain. */
function nameOf({ slot, id }: GtfaItem): string {
  return `${slot} ${id}`;
}

function misplaced({ slot }: GtfaItem, last: Slot, { from, to }: SlotRange): HistoryAnswerError {
  return new HistoryAnswerError(`slot ${slot} follows slot ${last} in an answer about slots ${from} to ${to}`);
}
