import { type BlockLink, type BlockRef, sparseBlock } from '@fresnel/domain/chain';
import { toHash, toSlot } from '@fresnel/domain/primitives';
import { isLinkedTo } from './is-linked-to';

const dense = (slot: number, fill = 1): BlockRef => ({ slot: toSlot(slot), blockhash: toHash(Buffer.alloc(32, fill)) });
const sparse = (slot: number) => sparseBlock(toSlot(slot));
const after = (parent: BlockRef, block: BlockRef): BlockLink => ({
  ...block,
  parentSlot: parent.slot,
  parentBlockhash: parent.blockhash,
});

describe('a link', () => {
  it.each([
    ['a child', after(dense(7), dense(8, 2)), dense(7), true],
    ['a block of another branch', after(dense(7, 3), dense(8, 2)), dense(7), false],
    ['a sparse block that is attested from there', after(sparse(5), sparse(7)), sparse(5), true],
    ['a sparse block that is attested from before', after(sparse(5), sparse(7)), sparse(6), true],
    ['a sparse block with a gap before it', after(sparse(5), sparse(7)), sparse(4), false],
    ['a sparse block that is not newer', after(sparse(5), sparse(7)), sparse(7), false],
    ['the anchor', after(sparse(5), dense(7)), sparse(5), true],
    ['the first block after the anchor', after(dense(7), dense(8, 2)), dense(7), true],
    ['a sparse block after a dense one', after(sparse(5), sparse(7)), dense(6), false],
    ['a dense block after a sparse one', after(dense(6), dense(7, 2)), sparse(6), false],
  ])('%s', (_, block, newest, isLinked) => {
    expect(isLinkedTo(block, newest)).toBe(isLinked);
  });
});
