import { toHash, toSlot } from '@fresnel/domain/primitives';
import { type BlockLink, type BlockRef, isAnchor, isAttested, isSparse, sparseBlock } from './index';

const dense = (slot: number, fill = 1): BlockRef => ({ slot: toSlot(slot), blockhash: toHash(Buffer.alloc(32, fill)) });
const sparse = (slot: number) => sparseBlock(toSlot(slot));
const after = (parent: BlockRef, block: BlockRef): BlockLink => ({
  ...block,
  parentSlot: parent.slot,
  parentBlockhash: parent.blockhash,
});

describe('a sparse block', () => {
  it('has one placeholder for each slot, which is no other blockhash', () => {
    expect(sparse(7)).toEqual(sparse(7));
    expect(sparse(7).blockhash).not.toEqual(sparse(8).blockhash);
    expect([sparse(0), sparse(2 ** 40), dense(7), dense(7, 0)].map(isSparse)).toEqual([true, true, false, false]);
  });

  it('and the anchor are attested, and the blocks after it are not', () => {
    const blocks = [after(sparse(5), sparse(7)), after(sparse(7), dense(9)), after(dense(9), dense(10, 2))];
    expect(blocks.map(isAttested)).toEqual([true, true, false]);
    expect(blocks.map(isAnchor)).toEqual([false, true, false]);
  });
});
