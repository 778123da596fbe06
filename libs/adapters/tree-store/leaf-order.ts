import { type Hash } from '@fresnel/domain/primitives';

/** A full chunk is split into two. */
const MAX_CHUNK = 1_024;

/** Chunks of a sorted list leave room for insertions. */
const FILLED = (MAX_CHUNK * 3) / 4;

/** A part of the order: the first `count` entries of `leaves`. */
interface Chunk {
  leaves: Uint32Array;
  count: number;
}

/** A position between two leaves: after `at` leaves of a chunk. */
interface Place {
  chunk: number;
  at: number;
}

interface Entry extends Place {
  leaf: number;
}

/**
 * Leaf indexes, ascending by the values of their elements.
 *
 * ```
 *  chunks   [ 7 0 3 · · ]  [ 1 9 · · · ]  [ 4 8 2 5 · ]
 *  values     a b c          d e            f g h i
 * ```
 *
 * An insertion moves the leaves of one chunk, not those of the whole tree.
 */
export class LeafOrder {
  /** A chunk is empty only if it is the only one. */
  private readonly chunks: Chunk[] = [{ leaves: new Uint32Array(MAX_CHUNK), count: 0 }];

  /**
   * @param sorted ascending by value
   * @param compare compares the value of a leaf with another value: negative if it is lower, 0 if it is equal
   */
  constructor(
    sorted: Uint32Array,
    private readonly compare: (leaf: number, value: Hash) => number,
  ) {
    if (sorted.length > 0) this.chunks.pop();
    for (let from = 0; from < sorted.length; from += FILLED) {
      const leaves = new Uint32Array(MAX_CHUNK);
      const part = sorted.subarray(from, from + FILLED);
      leaves.set(part);
      this.chunks.push({ leaves, count: part.length });
    }
  }

  /** The leaf with the largest value below the given one; undefined if there is none. */
  findBelow(value: Hash): number | undefined {
    const { chunk, at } = this.placeOf(value);
    return at > 0 ? this.chunks[chunk].leaves[at - 1] : undefined;
  }

  has(value: Hash): boolean {
    const entry = this.entryAfter(this.placeOf(value));
    return entry !== undefined && this.compare(entry.leaf, value) === 0;
  }

  /**
   * Adds a leaf that is not in the order.
   *
   * @param leaf below 2^32
   */
  insert(leaf: number, value: Hash): void {
    const { chunk, at } = this.placeOf(value);
    const { leaves, count } = this.chunks[chunk];
    leaves.copyWithin(at + 1, at, count);
    leaves[at] = leaf;
    this.chunks[chunk].count++;
    if (count + 1 === MAX_CHUNK) this.split(chunk);
  }

  /** Removes a leaf if it is in the order with this value. Other leaves may have the same value. */
  remove(leaf: number, value: Hash): void {
    let entry = this.entryAfter(this.placeOf(value));
    while (entry && entry.leaf !== leaf && this.compare(entry.leaf, value) === 0) {
      entry = this.entryAfter({ chunk: entry.chunk, at: entry.at + 1 });
    }
    if (entry?.leaf === leaf) this.removeAt(entry);
  }

  /** The place before the first leaf that is not below the value, in the last chunk that starts below it. */
  private placeOf(value: Hash): Place {
    const isBelow = (leaf: number) => this.compare(leaf, value) < 0;
    const startsBelow = ({ leaves, count }: Chunk) => count > 0 && isBelow(leaves[0]);
    const chunk = Math.max(0, countWhile(this.chunks.length, (at) => startsBelow(this.chunks[at])) - 1);
    const { leaves, count } = this.chunks[chunk];
    return { chunk, at: countWhile(count, (at) => isBelow(leaves[at])) };
  }

  private entryAfter({ chunk, at }: Place): Entry | undefined {
    const { leaves, count } = this.chunks[chunk];
    if (at < count) return { chunk, at, leaf: leaves[at] };
    const next = this.chunks.at(chunk + 1);
    return next && { chunk: chunk + 1, at: 0, leaf: next.leaves[0] };
  }

  private split(at: number): void {
    const { leaves } = this.chunks[at];
    const upper = new Uint32Array(MAX_CHUNK);
    upper.set(leaves.subarray(MAX_CHUNK / 2));
    this.chunks[at].count = MAX_CHUNK / 2;
    this.chunks.splice(at + 1, 0, { leaves: upper, count: MAX_CHUNK / 2 });
  }

  private removeAt({ chunk, at }: Place): void {
    const { leaves, count } = this.chunks[chunk];
    leaves.copyWithin(at, at + 1, count);
    this.chunks[chunk].count--;
    if (count === 1 && this.chunks.length > 1) this.chunks.splice(chunk, 1);
  }
}

/** The number of positions from 0 on for which the condition holds; it holds for none after them. */
function countWhile(length: number, condition: (at: number) => boolean): number {
  let from = 0;
  let to = length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (condition(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
