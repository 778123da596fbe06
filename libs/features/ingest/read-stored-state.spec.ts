import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type BlockLink, blockRefOf } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockLinkAt, range } from '@fresnel/testing/chain';
import { readStoredState, type StoredTables, type TreeProgress } from './read-stored-state';

/** Tables with linked blocks, each of which changes a tree. */
function tablesOf(slots: readonly number[]): StoredTables {
  const blocks = slots.map((slot): BlockLink => blockLinkAt(slot));
  return {
    findIndexedBlocks: ({ from, to, limit }) =>
      Promise.resolve(blocks.filter(({ slot }) => slot >= from && slot <= to).slice(-limit)),
    findOrphanedBlocks: () => Promise.resolve([]),
    findUnchangedUpTo: (slot) => Promise.resolve(slot),
  };
}

const refOf = (slot: number, branch = 'main') => blockRefOf(blockLinkAt(slot, branch));
const partialAt = (slot: number) => ({ ...refOf(slot), parentSlot: toSlot(slot - 1) });
const seen = (slots: readonly number[]): RecentBlock[] =>
  slots.map((slot) => ({
    ...refOf(slot),
    parentSlot: toSlot(slot - 1),
    state: 'admitted',
    changesTrees: slot % 10 === 0,
  }));
const progress = (slot: number | null, blocks: readonly RecentBlock[] = []): TreeProgress => ({
  slot: slot === null ? null : toSlot(slot),
  blocks,
});

// One partition is tested with the standalone process.
describe('the state of an ingest whose log was lost, with several partitions of trees', () => {
  it('resumes after the slot that tables and all trees have applied', async () => {
    const trees = [progress(50, seen(range(20, 50))), progress(47, seen(range(20, 47)))];
    const { published, partiallyPublished, reverted } = await readStoredState(tablesOf(range(1, 49)), trees);
    expect(published.map(blockRefOf)).toEqual(range(16, 47).map((slot) => refOf(slot)));
    expect(partiallyPublished).toMatchObject(range(48, 50).map(partialAt));
    expect(reverted).toEqual([]);
  });

  it('resumes after a block that only the trees still have, if they are far behind the tables', async () => {
    const trees = [progress(900, seen(range(840, 900))), progress(950, seen(range(890, 950)))];
    const { published, partiallyPublished } = await readStoredState(tablesOf(range(5_000, 7_000)), trees);
    expect(published.map(blockRefOf)).toEqual(range(869, 900).map((slot) => refOf(slot)));
    expect(partiallyPublished.slice(0, 50)).toEqual(range(901, 950).map(partialAt));
    expect(partiallyPublished.at(-1)).toMatchObject(partialAt(7_000));
  });

  it('finds the newest blocks that change a tree, on the branch of the tables', async () => {
    const other: RecentBlock = { ...refOf(46, 'other'), parentSlot: toSlot(45), state: 'admitted', changesTrees: true };
    const refused: RecentBlock = {
      ...refOf(44, 'other'),
      parentSlot: toSlot(43),
      state: 'refused',
      changesTrees: true,
    };
    const trees = [
      progress(50, [refused, ...seen(range(9, 50))]),
      progress(47, [...seen([...range(1, 45)].filter((slot) => slot !== 20)), other]),
    ];
    const { changes } = await readStoredState(tablesOf(range(1, 49)), trees);
    expect(changes).toEqual([10, 20, 30, 40].map((slot) => refOf(slot)));
  });

  it('starts from the beginning if the trees of one partition were never applied', async () => {
    const { published } = await readStoredState(tablesOf(range(1, 49)), [progress(49, seen([48, 49])), progress(null)]);
    expect(published).toEqual([]);
  });

  it('starts a new index if nothing is stored', async () => {
    const empty = { published: [], changes: [], partiallyPublished: [], reverted: [] };
    expect(await readStoredState(tablesOf([]), [])).toEqual(empty);
    expect(await readStoredState(tablesOf([]), [progress(null), progress(null)])).toEqual(empty);
  });

  it('has consumers revert again what some trees have reverted', async () => {
    const orphaned: RecentBlock = {
      ...refOf(48, 'other'),
      parentSlot: null,
      state: 'orphaned',
      changesTrees: false,
    };
    const trees = [progress(47, [...seen(range(20, 47)), orphaned]), progress(48, [...seen(range(20, 47)), orphaned])];
    const { partiallyPublished, reverted } = await readStoredState(tablesOf(range(1, 47)), trees);
    expect(partiallyPublished).toEqual([]);
    expect(reverted).toEqual([{ kind: 'slot-reverted', slot: 48, blockhash: orphaned.blockhash }]);
  });
});
