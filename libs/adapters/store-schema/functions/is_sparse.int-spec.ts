import { sparseBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { describeFunction } from '@fresnel/testing/store';

describeFunction('is_sparse', ({ list }) => {
  const isSparse = async (blockhash: Buffer) => (await list(`SELECT is_sparse($1)`, [blockhash]))[0][0];

  it('is true of the placeholder of any slot', async () => {
    for (const slot of [0, 1, 2 ** 40]) expect(await isSparse(sparseBlock(toSlot(slot)).blockhash)).toBe(true);
  });

  it('is false of a blockhash', async () => {
    expect(await isSparse(Buffer.alloc(32))).toBe(false);
    expect(await isSparse(Buffer.alloc(32, 0xfe))).toBe(false);
  });
});
