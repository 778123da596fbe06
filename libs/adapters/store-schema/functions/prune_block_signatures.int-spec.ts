import { describeFunction, insertBlock } from '@fresnel/testing/store';

describeFunction('prune_block_signatures', (database) => {
  const { list, query } = database;
  /** Stores blocks with as many signatures each. */
  const store = async (first: number, last: number, count: number) => {
    for (let slot = first; slot <= last; slot++) await insertBlock(database, slot, 0);
    await query(
      `INSERT INTO block_signatures SELECT slot, 0, decode(repeat('07', 64 * $3::integer), 'hex')
       FROM generate_series($1::bigint, $2::bigint) slot`,
      [first, last, count],
    );
  };
  const prune = async (indexed: number, kept: number) => {
    await query(`SELECT prune_block_signatures($1, $2)`, [indexed, kept]);
    return (await list(`SELECT min(slot), max(slot) FROM block_signatures`))[0].map(Number);
  };

  it('keeps what a fork may orphan, though fewer blocks have enough', async () => {
    await store(90, 160, 400);
    expect(await prune(160, 1_000)).toEqual([96, 160]);
  });

  it('keeps the newest blocks that have a number of signatures together', async () => {
    await store(10, 160, 1);
    expect(await prune(160, 100)).toEqual([61, 160]);
    expect(await prune(160, 1_000)).toEqual([61, 160]);
  });

  it('does not count blocks above the indexed slot', async () => {
    await store(10, 160, 10);
    expect(await prune(100, 300)).toEqual([36, 160]);
  });

  it('deletes blocks before one whose signatures are not recorded', async () => {
    await store(10, 19, 1);
    await insertBlock(database, 20, 0);
    await store(21, 30, 1);
    expect(await prune(30, 1_000)).toEqual([21, 30]);
  });

  it('deletes rows without signatures before the oldest block', async () => {
    await store(10, 14, 0);
    await store(15, 20, 1);
    await query(`DELETE FROM blocks WHERE slot < 13`);
    expect(await prune(20, 1_000)).toEqual([13, 20]);
  });
});
