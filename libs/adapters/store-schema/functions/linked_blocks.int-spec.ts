import { describeFunction } from '@fresnel/testing/store';

describeFunction('linked_blocks', ({ insert, list }) => {
  /** Stores blocks: slot, parent slot, and a letter of the branch of each. */
  const store = (...blocks: [number, number, string, string][]) =>
    insert(
      'blocks',
      ...blocks.map(([slot, parent, branch, parentBranch]) => ({
        slot,
        parent_slot: parent,
        blockhash: Buffer.from(`${branch}${slot}`),
        parent_blockhash: Buffer.from(`${parentBranch}${parent}`),
        block_time: 0,
        changes_trees: false,
      })),
    );
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

  it('does not pass a block of another branch', async () => {
    await store([10, 9, a, a], [11, 10, a, a], [12, 11, b, b], [13, 11, a, a]);
    expect(await linkedFrom(10)).toEqual([10, 11]);
  });
});
