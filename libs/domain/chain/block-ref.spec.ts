import { toHash, toSlot } from '@fresnel/domain/primitives';
import { blockKey, blockKeyBytes, isChildOf, isSameBlock, parentOf } from './block-ref';

const refOf = (slot: number, fill: number) => ({ slot: toSlot(slot), blockhash: toHash(Buffer.alloc(32, fill)) });
const child = { ...refOf(12, 3), parentSlot: toSlot(10), parentBlockhash: toHash(Buffer.alloc(32, 2)) };

describe('a block reference', () => {
  it('is the same block only with the same slot and the same blockhash', () => {
    expect(isSameBlock(refOf(10, 1), refOf(10, 1))).toBe(true);
    expect(isSameBlock(refOf(10, 1), refOf(11, 1))).toBe(false);
    expect(isSameBlock(refOf(10, 1), refOf(10, 2))).toBe(false);
  });

  it('has a key that is equal only for the same block', () => {
    const keys = [refOf(10, 1), refOf(11, 1), refOf(10, 2)].map(blockKey);
    expect(new Set(keys).size).toBe(3);
    expect(blockKey(refOf(10, 1))).toBe(keys[0]);
  });

  it('has a key of bytes that is ordered by slot', () => {
    const keys = [refOf(2 ** 40, 1), refOf(256, 9), refOf(255, 200)].map(blockKeyBytes);
    expect(keys.map(({ length }) => length)).toEqual([40, 40, 40]);
    expect(keys.sort((one, other) => one.compare(other))).toEqual(
      [refOf(255, 200), refOf(256, 9), refOf(2 ** 40, 1)].map(blockKeyBytes),
    );
  });
});

describe('a block link', () => {
  it('names its parent', () => {
    expect(parentOf(child)).toEqual(refOf(10, 2));
  });

  it('is the child of the block with the slot and the blockhash of its parent', () => {
    expect(isChildOf(child, refOf(10, 2))).toBe(true);
    expect(isChildOf(child, refOf(11, 2))).toBe(false);
    expect(isChildOf(child, refOf(10, 9))).toBe(false);
  });
});
