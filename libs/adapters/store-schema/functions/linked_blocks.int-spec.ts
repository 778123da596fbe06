import { sparseBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { describeFunction } from '@fresnel/testing/store';

describeFunction('linked_blocks', ({ insert, list }) => {
  /** Stores blocks: slot, parent slot, and a letter of the branch of each; `*`: sparse. */
  const store = (...blocks: [number, number, string, string][]) =>
    insert(
      'blocks',
      ...blocks.map(([slot, parent, branch, parentBranch]) => ({
        slot,
        parent_slot: parent,
        blockhash: hashOf(branch, slot),
        parent_blockhash: hashOf(parentBranch, parent),
        block_time: 0,
        changes_trees: false,
      })),
    );
  const hashOf = (branch: string, slot: number) =>
    branch === '*' ? sparseBlock(toSlot(slot)).blockhash : Buffer.from(`${branch}${slot}`);
  const linkedFrom = async (start: number, max = 10) =>
    (await list(`SELECT slot FROM linked_blocks($1, $2)`, [start, max])).map(([slot]) => Number(slot));
  const [a, b] = ['a', 'b'];

  it('follows parents, also over skipped slots', async () => {
    await store([10, 9, a, a], [11, 10, a, a], [14, 11, a, a]);
    expect(await linkedFrom(10)).toEqual([10, 11, 14]);
    expect(await linkedFrom(11)).toEqual([11, 14]);
  });

  it('is limited', async () => {
    await store([10, 9, a, a], [11, 10, a, a], [12, 11, a, a]);
    expect(await linkedFrom(10, 2)).toEqual([10, 11]);
  });

  it('begins at a stored block', async () => {
    await store([11, 10, a, a]);
    expect(await linkedFrom(10)).toEqual([]);
  });

  it('ends before a block whose parent is not stored', async () => {
    await store([10, 9, a, a], [12, 11, a, a]);
    expect(await linkedFrom(10)).toEqual([10]);
  });

  it('ends before a block of another branch', async () => {
    await store([10, 9, a, a], [11, 10, a, a], [12, 11, b, b]);
    expect(await linkedFrom(10)).toEqual([10, 11]);
  });

  it('ends at a block with two children', async () => {
    await store([10, 9, a, a], [11, 10, a, a], [12, 11, b, a], [13, 11, a, a]);
    expect(await linkedFrom(10)).toEqual([10, 11]);
  });

  it('follows attested ranges up to the anchor, and links after it', async () => {
    await store([10, 9, '*', '*'], [13, 10, '*', '*'], [20, 13, '*', '*'], [21, 20, a, '*'], [22, 21, a, a]);
    expect(await linkedFrom(10)).toEqual([10, 13, 20, 21, 22]);
    expect(await linkedFrom(21)).toEqual([21, 22]);
  });

  it('follows the slots of several sources, of which one lacks a slot', async () => {
    await store([10, 9, '*', '*'], [13, 10, '*', '*'], [15, 13, '*', '*'], [17, 10, '*', '*'], [18, 17, '*', '*']);
    expect(await linkedFrom(10)).toEqual([10, 13, 15, 17, 18]);
  });

  it('ends before slots that are not attested', async () => {
    await store([10, 9, '*', '*'], [13, 11, '*', '*'], [14, 10, '*', '*']);
    expect(await linkedFrom(10)).toEqual([10]);
  });

  it('has no sparse block after a dense one, and no dense one after a sparse one', async () => {
    await store([10, 9, a, a], [11, 10, '*', '*'], [14, 13, '*', '*'], [15, 14, b, b]);
    expect(await linkedFrom(10)).toEqual([10]);
    expect(await linkedFrom(14)).toEqual([14]);
  });

  it('does not pass a block of another branch', async () => {
    await store([10, 9, a, a], [11, 10, a, a], [12, 11, b, b], [13, 11, a, a]);
    expect(await linkedFrom(10)).toEqual([10, 11]);
  });
});
