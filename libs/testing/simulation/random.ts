/** Numbers that a seed determines: mulberry32, a published generator with a state of 32 bits. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number from 0 inclusive to 1 exclusive. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 inclusive to `end` exclusive. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** One of some items, at least one. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)];
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
