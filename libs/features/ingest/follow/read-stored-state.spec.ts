import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { blockRefOf } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockLinkAt, range } from '@fresnel/testing/chain';
import { readStoredState, type StoredTables, type TreeProgress } from './read-stored-state';

/** Every tenth block changes a tree. */
const hasChange = (slot: number) => slot % 10 === 0;

/** Tables with linked blocks. */
function tablesOf(slots: readonly number[]): StoredTables {
  const blocks = slots.map((slot) => ({ ...blockLinkAt(slot), changesTrees: hasChange(slot) }));
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
    changesTrees: hasChange(slot),
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
    const trees = [progress(50, [refused, ...seen(range(9, 50))]), progress(47, [...seen(range(25, 45)), other])];
    const { changes } = await readStoredState(tablesOf(range(1, 49)), trees);
    expect(changes).toEqual([10, 20, 30, 40].map((slot) => refOf(slot)));
  });

  describe('that differ from the tables', () => {
    const otherAt = (slot: number, parentSlot: number): RecentBlock => ({
      ...refOf(slot, 'other'),
      parentSlot: toSlot(parentSlot),
      state: 'admitted',
      changesTrees: true,
    });
    const slotsOf = (blocks: readonly { slot: number }[]) => blocks.map(({ slot }) => slot);

    it('resumes before the block of another branch that some trees have applied', async () => {
      const trees = [progress(50, seen(range(20, 50))), progress(48, [...seen(range(20, 45)), otherAt(46, 45)])];
      const { published, partiallyPublished } = await readStoredState(tablesOf(range(1, 49)), trees);
      expect(slotsOf(published)).toEqual(range(14, 45));
      expect(slotsOf(partiallyPublished)).toEqual([46, 46, 47, 48, 49, 50]);
    });

    it('resumes before a block that the chain of the tables has skipped', async () => {
      const skipped = tablesOf(range(1, 49).filter((slot) => slot !== 46));
      const { published, partiallyPublished } = await readStoredState(skipped, [
        progress(49, [...seen(range(20, 45)), otherAt(46, 45)]),
      ]);
      expect(slotsOf(published)).toEqual(range(14, 45));
      expect(slotsOf(partiallyPublished)).toEqual([46, 47, 48, 49]);
    });

    it('resumes before a block of the tables that changes trees and that some trees have refused or never read', async () => {
      const all = progress(45, seen(range(20, 45)));
      for (const blocks of [
        [],
        [{ ...refOf(40), parentSlot: toSlot(39), state: 'refused', changesTrees: true }],
      ] as const) {
        const trees = [all, progress(45, [...blocks, ...seen(range(20, 38)), otherAt(45, 44)])];
        const { published, changes, partiallyPublished } = await readStoredState(tablesOf(range(1, 44)), trees);
        expect(slotsOf(published)).toEqual(range(8, 39));
        expect(slotsOf(changes)).toEqual([20, 30]);
        expect(slotsOf(partiallyPublished)).toEqual([...range(40, 45), 45]);
      }
    });

    it('knows as many blocks before the fork as a fork may revert, however long the branch of the tables is', async () => {
      const trees = [progress(150, [...seen(range(50, 90)), otherAt(150, 90)])];
      const { published, partiallyPublished } = await readStoredState(tablesOf(range(1, 160)), trees);
      expect(slotsOf(published)).toEqual(range(59, 90));
      expect(slotsOf(partiallyPublished)).toEqual([...range(91, 150), ...range(150, 160)]);
    });

    it('starts from the beginning if the first blocks differ', async () => {
      const { published, partiallyPublished } = await readStoredState(tablesOf([48, 49, 50]), [
        progress(49, [otherAt(48, 47)]),
      ]);
      expect(published).toEqual([]);
      expect(slotsOf(partiallyPublished)).toEqual([48, 48, 49, 50]);
    });
  });

  it('counts what trees do not remember any more as applied', async () => {
    const { published, partiallyPublished } = await readStoredState(tablesOf(range(1, 49)), [
      progress(49, seen(range(41, 49))),
      progress(49, []),
    ]);
    expect(published.map(({ slot }) => slot)).toEqual(range(18, 49));
    expect(partiallyPublished).toEqual([]);
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
