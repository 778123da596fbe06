import { type BlockLink, type BlockRef, blockRefOf, parentOf, sparseBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { type Admission, type BlockRecord, RecentBlocks } from './recent-blocks';

const refOf = (slot: number, branch = 'main'): BlockRef => blockRefOf(blockLinkAt(slot, branch));
const linkOf = (slot: number, branch = 'main', parent = slot - 1): BlockLink => ({
  ...refOf(slot, branch),
  parentSlot: toSlot(parent),
  parentBlockhash: blockhashAt(parent, branch),
});

/** The record of a block that changes a tree, after another one. */
const changed = (slot: number, previous: BlockRef | number | null, branch = 'main', parent?: number): BlockRecord => ({
  block: linkOf(slot, branch, parent),
  previousChange: typeof previous === 'number' ? refOf(previous) : previous,
  silentBlocks: [],
  changesTrees: true,
  isRepublished: false,
});
/** The record of a block without changes. */
const silent = (...args: Parameters<typeof changed>): BlockRecord => ({ ...changed(...args), changesTrees: false });
/** The record names silent blocks before its own. */
const after = (record: BlockRecord, ...slots: number[]): BlockRecord => ({
  ...record,
  silentBlocks: slots.map((slot) => refOf(slot)),
});
const republished = (slot: number): BlockRecord => ({ ...changed(slot, null), isRepublished: true });

/** A branch of blocks that change trees, each after the one before it. */
function branchOf(...slots: number[]): RecentBlocks {
  const recent = new RecentBlocks([]);
  for (const [at, slot] of slots.entries()) {
    expect(recent.admit(changed(slot, at === 0 ? null : slots[at - 1]))).toBe('applied');
  }
  return recent;
}
const statesOf = ({ all }: RecentBlocks) => all.map(({ slot, state }) => `${state} ${slot}`);
const admitAll = (recent: RecentBlocks, records: readonly BlockRecord[]): Admission[] =>
  records.map((record) => recent.admit(record));
/** Marks a block as orphaned. @returns the slots of the blocks that trees have to revert */
const revertedWith = (recent: RecentBlocks, block: BlockRef) => recent.markOrphaned(block).map(({ slot }) => slot);

describe('the recent blocks of a partition', () => {
  it('admit a block above the tip that names the newest admitted block which changes a tree', () => {
    const recent = branchOf(10, 11);
    expect(admitAll(recent, [silent(14, 11), silent(20, 11), changed(21, 11), changed(30, 21)])).toEqual([
      ...['applied', 'applied', 'applied', 'applied'],
    ]);
    expect([recent.tip, recent.hasRefused]).toEqual([expect.objectContaining(refOf(30)), false]);
  });

  it('admit any first block, and take over the block that it names', () => {
    const recent = new RecentBlocks([]);
    expect(admitAll(recent, [silent(100, 7), silent(101, 7), changed(102, 7), changed(103, 102)])).toEqual([
      ...['applied', 'applied', 'applied', 'applied'],
    ]);
  });

  it('admit repeated records of a block, which may know more of its changes', () => {
    const recent = branchOf(10);
    expect(admitAll(recent, [silent(11, 10), changed(11, 10), silent(11, 10), changed(12, 11)])).toEqual([
      ...['applied', 'applied', 'applied', 'applied'],
    ]);
  });

  describe('do not mix branches:', () => {
    it('a block that names another change is refused', () => {
      const recent = branchOf(10, 11);
      expect(admitAll(recent, [changed(12, 10, 'other', 10), changed(13, refOf(12, 'other'), 'other')])).toEqual([
        ...['refused', 'refused'],
      ]);
      expect(recent.hasRefused).toBe(true);
      expect(statesOf(recent)).toEqual(['refused 12', 'refused 13', 'admitted 10', 'admitted 11']);
    });

    it('a block whose silent sibling was refused or has no record is refused', () => {
      for (const records of [[], [silent(12, 10, 'other', 10)]]) {
        const recent = branchOf(10, 11);
        expect(admitAll(recent, [...records, changed(13, 10, 'other')]).at(-1)).toBe('refused');
      }
    });

    it('a block that changes a tree below the tip is refused', () => {
      const recent = branchOf(10, 12);
      expect(recent.admit(changed(11, 10, 'other'))).toBe('refused');
      expect(recent.admit(changed(12, 10, 'other'))).toBe('refused');
    });

    it('a block that names no change, after one that changes a tree, is refused', () => {
      expect(branchOf(10).admit(changed(11, null, 'other'))).toBe('refused');
    });
  });

  it('ignore a silent block of their branch below the tip', () => {
    const recent = branchOf(10, 20);
    expect(recent.admit(silent(15, 10))).toBe('ignored');
    expect(recent.hasRefused).toBe(false);
  });

  it('ignore a block that is older than all of them, unless it is published again', () => {
    const recent = branchOf(10, 11);
    expect(admitAll(recent, [changed(9, 8, 'other'), silent(3, null), republished(9)])).toEqual([
      ...['ignored', 'ignored', 'applied'],
    ]);
    expect(admitAll(recent, [republished(11), republished(12)])).toEqual(['applied', 'ignored']);
  });

  it('never admit an orphaned block again, nor its descendants', () => {
    const recent = branchOf(10, 11, 12);
    expect([12, 11].map((slot) => revertedWith(recent, refOf(slot)))).toEqual([[12], [11]]);
    const orphaned = [changed(11, 10), changed(12, 11), changed(13, 12), silent(14, 12)];
    expect(admitAll(recent, orphaned)).toEqual(['skipped', 'skipped', 'skipped', 'skipped']);
    expect(revertedWith(recent, refOf(11))).toEqual([]);
    expect(recent.admit(changed(12, 10, 'other', 10))).toBe('applied');
  });

  it('skip a block that descends from a silent orphaned block', () => {
    const recent = branchOf(10);
    expect(revertedWith(recent, refOf(11))).toEqual([11]);
    expect(recent.admit(changed(12, 10))).toBe('skipped');
    expect(recent.admit(after(changed(14, 10), 11, 13))).toBe('skipped');
  });

  it('contain the silent blocks that the newest record names, and no others since the change before it', () => {
    const recent = branchOf(10);
    admitAll(recent, [silent(11, 10, 'other'), after(silent(13, 10), 11, 12)]);
    expect(recent.all.map(({ blockhash }) => blockhash)).toEqual(range(10, 13).map((slot) => blockhashAt(slot)));
    admitAll(recent, [after(changed(15, 10), 11, 12, 13, 14), after(changed(17, 15), 16)]);
    expect(statesOf(recent)).toEqual(range(10, 17).map((slot) => `admitted ${slot}`));
  });

  describe('after the revert of', () => {
    it('a block that changes a tree, have the blocks before it, and forget what they refused', () => {
      const recent = branchOf(10, 11);
      recent.admit(silent(12, 11));
      const other = [changed(12, 10, 'other', 10), changed(13, refOf(12, 'other'), 'other')];
      admitAll(recent, other);
      expect(revertedWith(recent, refOf(11))).toEqual([12, 11]);
      expect(statesOf(recent)).toEqual(['orphaned 11', 'admitted 10']);
      expect(admitAll(recent, other)).toEqual(['applied', 'applied']);
    });

    it('a silent block that the next change does not name, are unchanged', () => {
      const recent = branchOf(10);
      admitAll(recent, [silent(11, 10, 'other'), changed(12, 10, 'main', 10)]);
      expect(revertedWith(recent, refOf(11, 'other'))).toEqual([]);
      expect(statesOf(recent)).toEqual(['orphaned 11', 'admitted 10', 'admitted 12']);
    });

    it('a silent block, have the blocks before it', () => {
      const recent = branchOf(10);
      admitAll(recent, [after(changed(13, 10), 11, 12), changed(14, 13)]);
      expect(revertedWith(recent, refOf(12))).toEqual([14, 13, 12]);
      expect(statesOf(recent)).toEqual(['orphaned 12', 'admitted 10', 'admitted 11']);
    });

    it('a refused block, have no refused block', () => {
      const recent = branchOf(10, 12);
      recent.admit(changed(11, 10, 'other'));
      expect(revertedWith(recent, refOf(11, 'other'))).toEqual([]);
      expect([recent.hasRefused, statesOf(recent)]).toEqual([false, ['orphaned 11', 'admitted 10', 'admitted 12']]);
    });

    it('the parent of a refused block, forget the refused block with its next record', () => {
      const recent = branchOf(10, 13);
      recent.admit(changed(12, refOf(11, 'other'), 'other'));
      recent.markOrphaned(refOf(11, 'other'));
      expect(recent.admit(changed(12, refOf(11, 'other'), 'other'))).toBe('skipped');
      expect(recent.hasRefused).toBe(false);
    });

    it('an unknown block below the tip, are unchanged', () => {
      const recent = branchOf(10, 12);
      for (const slot of [5, 11, 12]) expect(revertedWith(recent, refOf(slot, 'other'))).toEqual([]);
      expect(recent.admit(changed(12, 10))).toBe('applied');
    });

    it('an unknown block above the tip, or of an unknown branch, report that trees may have observed it', () => {
      expect(revertedWith(new RecentBlocks([]), refOf(5))).toEqual([5]);
      const recent = branchOf(10, 12);
      expect(revertedWith(recent, refOf(13, 'other'))).toEqual([13]);
      expect(statesOf(recent)).toEqual(['orphaned 13', 'admitted 10', 'admitted 12']);
    });

    it('all blocks, still follow the branch before them, also if that has many silent blocks', () => {
      const recent = branchOf(10);
      for (const slot of range(11, 200)) recent.admit(silent(slot, 10));
      admitAll(recent, [changed(201, 10), changed(202, 201)]);
      for (const slot of [202, 201]) recent.markOrphaned(refOf(slot));
      expect(recent.admit(changed(201, 10, 'other', 200))).toBe('applied');
    });
  });

  it('admit a refused block that is published again when it fits', () => {
    const recent = branchOf(10);
    expect(admitAll(recent, [changed(13, 12), silent(14, 13)])).toEqual(['refused', 'refused']);
    expect(admitAll(recent, [changed(12, 10), changed(13, 12), changed(15, 13)])).toEqual([
      ...['applied', 'applied', 'applied'],
    ]);
    // Ingest publishes a watermark for a silent block once: while no block follows.
    expect(recent.hasRefused).toBe(false);
  });

  it('admit an adopted block and its descendants again', () => {
    const recent = branchOf(10, 11);
    for (const block of [refOf(14, 'other'), refOf(11)]) recent.markOrphaned(block);
    expect(admitAll(recent, [changed(12, 11), changed(11, 10)])).toEqual(['skipped', 'skipped']);
    recent.markAdopted(refOf(11));
    expect(admitAll(recent, [changed(11, 10), changed(12, 11)])).toEqual(['applied', 'applied']);
    expect(recent.admit(changed(14, 12, 'other'))).toBe('skipped');
  });

  describe('of attested history', () => {
    const sparse = (slot: number, previous: number, changesTrees = true): BlockRecord => ({
      ...changed(slot, sparseBlock(toSlot(previous))),
      block: linkAfter(previous, sparseBlock(toSlot(slot))),
      changesTrees,
    });
    const linkAfter = (parent: number, block: BlockRef): BlockLink => ({
      ...block,
      parentSlot: toSlot(parent),
      parentBlockhash: sparseBlock(toSlot(parent)).blockhash,
    });
    const anchor = (slot: number, parent: number): BlockRecord => ({
      ...changed(slot, sparseBlock(toSlot(parent))),
      block: linkAfter(parent, refOf(slot)),
    });

    it('admit sparse blocks in the order of their slots, whatever they name', () => {
      const recent = new RecentBlocks([]);
      expect(admitAll(recent, [sparse(10, 9), sparse(15, 12), sparse(13, 10), sparse(20, 13), sparse(15, 12)])).toEqual(
        [...['applied', 'applied', 'ignored', 'applied', 'applied']],
      );
      expect(recent.hasRefused).toBe(false);
    });

    it('apply a sparse block that is published again, also if it was not there before', () => {
      const recent = new RecentBlocks([]);
      admitAll(recent, [sparse(10, 9), sparse(15, 12)]);
      expect(recent.admit({ ...sparse(13, 10), isRepublished: true })).toBe('applied');
      expect(recent.admit({ ...sparse(17, 15), isRepublished: true })).toBe('ignored');
    });

    it('admit the blocks after the anchor by what they name', () => {
      const recent = new RecentBlocks([]);
      expect(admitAll(recent, [sparse(10, 9), anchor(20, 10), silent(21, 20), changed(23, 20)])).toEqual([
        ...['applied', 'applied', 'applied', 'applied'],
      ]);
      expect(admitAll(recent, [sparse(10, 9), sparse(12, 10), anchor(20, 12)])).toEqual([
        'applied',
        'ignored',
        'applied',
      ]);
      expect(recent.admit(changed(24, 22))).toBe('refused');
    });

    it('refuse a sparse block after the anchor', () => {
      const recent = new RecentBlocks([]);
      admitAll(recent, [sparse(10, 9), anchor(20, 10)]);
      expect(recent.admit(sparse(25, 10))).toBe('refused');
      expect(parentOf(sparse(25, 10).block)).toEqual(sparseBlock(toSlot(10)));
    });
  });

  it('are equal after they were stored and read', () => {
    const recent = branchOf(10, 11, 12);
    recent.markOrphaned(refOf(12));
    recent.admit(changed(14, 13, 'other'));
    const again = new RecentBlocks(recent.all);
    expect(again.all).toEqual(recent.all);
    expect(again.hasRefused).toBe(true);
    expect(admitAll(again, [changed(12, 11), changed(11, 10), changed(12, 11, 'other', 11)])).toEqual([
      ...['skipped', 'applied', 'applied'],
    ]);
  });

  it('are limited in number', () => {
    const recent = branchOf(...range(1, 1_000));
    expect(recent.all.map(({ slot }) => slot)).toEqual(range(968, 1_000));
    for (const slot of range(1_001, 2_000)) recent.markOrphaned(refOf(slot, 'other'));
    for (const slot of range(2_001, 3_000)) recent.admit(changed(slot, 5, 'third', slot - 1));
    const count = (of: string) => recent.all.filter(({ state }) => state === of).length;
    expect([count('orphaned'), count('refused'), count('admitted')]).toEqual([256, 256, 33]);
    expect(recent.admit(changed(2_000, 5, 'other'))).toBe('skipped');
  });
});
