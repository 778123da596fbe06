import { type BatchEvent, type CompressionEvent } from '@fresnel/domain/events';
import { keyOf, type Pubkey } from '@fresnel/domain/primitives';

/** A transaction among those of its slot. */
interface Placed {
  index: number;
  events: readonly CompressionEvent[];
}

export interface OrderedTransactions<Transaction> {
  /** In chain order, with different indexes. */
  ordered: Transaction[];
  /** Those of them whose place is not known. */
  undecided: ReadonlySet<Transaction>;
}

/** A position that a tree or a queue gave to an event. The space names one series of positions. */
interface Position {
  space: string;
  at: bigint;
}

/** The positions of one event, and what they require. */
interface Marks {
  positions: Position[];
  /** All positions of these spaces below these come before the event. */
  after: Position[];
  /** The output queue that the event adds a leaf to without saying where. */
  uncounted: string | null;
}

export function hasEqualIndexes(transactions: readonly Placed[]): boolean {
  return transactions.some(({ index }, at) => at > 0 && transactions[at - 1].index === index);
}

/**
 * Orders transactions to which their source gives equal indexes, by the positions that trees and queues gave to their events. One order
 * has to fit all trees:
 *
 * ```
 *   V1 tree        seq 7 (a)   seq 8 (b)
 *   output queue               leaf 30 (b)   leaf 31 (c)      a, b, c
 * ```
 *
 * A transaction is undecided if positions contradict each other, or if it migrates a leaf, whose position the chain does not report, and
 * nothing orders it and another one of the same queue.
 *
 * @param transactions by index
 */
export function orderTransactions<Transaction extends Placed>(
  transactions: readonly Transaction[],
): OrderedTransactions<Transaction> {
  const sorted: Transaction[] = [];
  const doubtful = new Set<number>();
  for (let start = 0; start < transactions.length;) {
    const { index } = transactions[start];
    const group = transactions.slice(start).filter((each) => each.index === index);
    const { order, undecided } = orderGroup(group.map(({ events }) => events.map(marksOf)));
    for (const place of order) {
      if (undecided.has(place)) doubtful.add(sorted.length);
      sorted.push(group[place]);
    }
    start += group.length;
  }
  let next = 0;
  const ordered = sorted.map((each) => {
    const index = Math.max(each.index, next);
    next = index + 1;
    return { ...each, index };
  });
  return { ordered, undecided: new Set(ordered.filter((_, at) => doubtful.has(at))) };
}

/** Places in a group, in chain order. */
interface OrderedGroup {
  order: number[];
  undecided: ReadonlySet<number>;
}

function orderGroup(group: readonly Marks[][]): OrderedGroup {
  const followers = findFollowers(group);
  const places = group.map((_, place) => place);
  const first = takeFree(places, followers);
  const rest = places.filter((place) => !first.includes(place));
  // What follows the contradictions is decided again: seen from the end, nothing else follows it.
  const last = takeFree(rest.toReversed(), invert(followers)).toReversed();
  const cycles = rest.filter((place) => !last.includes(place));
  return { order: [...first, ...cycles, ...last], undecided: new Set([...cycles, ...findUncounted(group, followers)]) };
}

/** For each place those that come after it. */
type Followers = readonly ReadonlySet<number>[];

function findFollowers(group: readonly Marks[][]): Followers {
  const followers = group.map(() => new Set<number>());
  const add = (before: number, after: number) => before !== after && followers[before].add(after);
  const spaces = new Map<string, { at: bigint; place: number }[]>();
  for (const [place, marks] of group.entries()) {
    for (const { space, at } of marks.flatMap(({ positions }) => positions)) {
      spaces.set(space, [...(spaces.get(space) ?? []), { at, place }]);
    }
  }
  for (const series of spaces.values()) {
    series.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
    for (let next = 1; next < series.length; next++) {
      const [one, other] = [series[next - 1], series[next]];
      add(one.place, other.place);
      if (one.at === other.at) add(other.place, one.place);
    }
  }
  for (const [place, marks] of group.entries()) {
    for (const { space, at } of marks.flatMap(({ after }) => after)) {
      for (const earlier of spaces.get(space) ?? []) if (earlier.at < at) add(earlier.place, place);
    }
  }
  return followers;
}

/** Takes places one by one of which nothing that remains comes before. @returns without cycles, and what follows them */
function takeFree(places: readonly number[], followers: Followers): number[] {
  const before = new Map(places.map((place) => [place, 0]));
  const count = (place: number, change: number) => before.set(place, (before.get(place) ?? 0) + change);
  for (const place of places) for (const next of followers[place]) if (before.has(next)) count(next, 1);
  const taken: number[] = [];
  for (;;) {
    const free = places.find((place) => before.get(place) === 0);
    if (free === undefined) return taken;
    before.delete(free);
    taken.push(free);
    for (const next of followers[free]) if (before.has(next)) count(next, -1);
  }
}

function invert(followers: Followers): Followers {
  const inverted = followers.map(() => new Set<number>());
  for (const [place, after] of followers.entries()) for (const next of after) inverted[next].add(place);
  return inverted;
}

/** Places with migrated leaves which nothing orders among those that fill the same queue. */
function findUncounted(group: readonly Marks[][], followers: Followers): number[] {
  const queuesOf = (place: number) => new Set(group[place].flatMap(({ uncounted }) => uncounted ?? []));
  return group.flatMap((_, place) => {
    const queues = queuesOf(place);
    if (queues.size === 0) return [];
    const known = new Set([...reach(place, followers), ...reach(place, invert(followers))]);
    const fills = (other: number) =>
      group[other].some(
        ({ positions, uncounted }) =>
          (uncounted !== null && queues.has(uncounted)) || positions.some(({ space }) => queues.has(space)),
      );
    return group.some((_, other) => other !== place && fills(other) && !known.has(other)) ? [place] : [];
  });
}

function reach(start: number, followers: Followers): Set<number> {
  const reached = new Set<number>();
  const waiting = [start];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const next of followers[place]) {
      if (!reached.has(next)) waiting.push(next);
      reached.add(next);
    }
  }
  return reached;
}

type Series = 'seq' | 'leaf' | 'input' | 'address';

/** @param account tree or queue */
function position(account: Pubkey, series: Series, at: bigint | number): Position {
  return { space: `${keyOf(account)} ${series}`, at: BigInt(at) };
}

function marksOf(event: CompressionEvent): Marks {
  const none = { positions: [], after: [], uncounted: null };
  switch (event.kind) {
    case 'transition':
      return {
        ...none,
        positions: [
          ...event.outputs.map(({ treeAccount, leafIndex }) => position(treeAccount, 'leaf', leafIndex)),
          // Of a V1 tree, which is the account of its outputs. That of an output queue is a leaf index.
          ...event.sequenceNumbers.flatMap(({ tree, seq }) =>
            event.outputs.some(({ treeAccount }) => treeAccount.equals(tree)) ? [position(tree, 'seq', seq)] : [],
          ),
          ...event.inputs.flatMap(({ nullification }) =>
            nullification ? [position(nullification.tree, 'input', nullification.queueIndex)] : [],
          ),
          ...event.newAddresses.flatMap(({ tree, queueIndex }) =>
            queueIndex === null ? [] : [position(tree, 'address', queueIndex)],
          ),
        ],
      };
    case 'leaves-nullified':
    case 'addresses-inserted':
      return { ...none, positions: [position(event.tree, 'seq', event.seq)] };
    case 'leaf-migrated':
      return { ...none, uncounted: `${keyOf(event.queue)} leaf` };
    case 'batch-append':
    case 'batch-nullify':
    case 'batch-address-append':
      return { ...none, positions: [position(event.tree, 'seq', event.seq)], after: queueEndOf(event) };
  }
}

/** Up to which position of its queue a batch needs all values. Leaf 0 of an address tree was not queued. */
function queueEndOf({ kind, tree, outputQueue, newNextIndex }: BatchEvent): Position[] {
  if (kind === 'batch-nullify') return [position(tree, 'input', newNextIndex)];
  if (kind === 'batch-address-append') return [position(tree, 'address', newNextIndex - 1n)];
  return outputQueue ? [position(outputQueue, 'leaf', newNextIndex)] : [];
}
