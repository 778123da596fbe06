import { ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeChange } from '@fresnel/domain/trees';
import { testStateTree } from '@fresnel/testing/trees';
import { blockLinkAt } from '@fresnel/testing/chain';
import { countMigratedLeaves, type KnownUpdate } from './count-migrated-leaves';

const MIGRATED = 'm';
type Leaf = number | typeof MIGRATED;

function changeOf(leaf: Leaf): TreeChange {
  if (leaf === MIGRATED) return { kind: 'leaf-migrated', hash: ZERO_HASH };
  return { kind: 'leaf-queued', leafIndex: leaf, hash: ZERO_HASH };
}

const block = (...leaves: Leaf[]): KnownUpdate => ({
  update: { ...blockLinkAt(10), tree: testStateTree(), changes: leaves.map(changeOf) },
  isWhole: true,
});
/** With a transaction that cannot be read. */
const unread = (...leaves: Leaf[]): KnownUpdate => ({ ...block(...leaves), isWhole: false });

/** The leaf indices by block; null where a leaf has none. */
function count(known: KnownUpdate[], end: number | null = null) {
  const counted = countMigratedLeaves(known, end);
  const indexOf = (change: TreeChange) =>
    change.kind === 'leaf-queued' || change.kind === 'leaf-migrated' ? (change.leafIndex ?? null) : undefined;
  return { leaves: counted.updates.map(({ changes }) => changes.map(indexOf)), end: counted.end };
}

const M = MIGRATED;

describe('migrated leaves', () => {
  it.each<[string, KnownUpdate[], (number | null)[][], number | null]>([
    [
      'follow an output',
      [block(7, M), block(M, 10, M)],
      [
        [7, 8],
        [9, 10, 11],
      ],
      12,
    ],
    ['come before an output', [block(M), block(M, 7)], [[5], [6, 7]], 8],
    ['have no index without an output', [block(M), block(M)], [[null], [null]], null],
    ['beside missing leaves have none', [block(7), block(M), block(10, M)], [[7], [null], [10, 11]], 12],
    ['of a block that is not whole have none', [block(7), unread(M), block(10)], [[7], [null], [10]], 11],
    ['after a block that is not whole have none', [block(7), unread(), block(M)], [[7], [], [null]], null],
    [
      'before a block that is not whole have none without an output',
      [block(M), unread(), block(9)],
      [[null], [], [9]],
      10,
    ],
  ])('%s', (_, known, leaves, end) => {
    expect(count(known)).toEqual({ leaves, end });
  });

  it('follow those that were counted before', () => {
    expect(count([block(M), block(M)], 40)).toEqual({ leaves: [[40], [41]], end: 42 });
    expect(count([block(M), block(43)], 40)).toEqual({ leaves: [[null], [43]], end: 44 });
  });
});
