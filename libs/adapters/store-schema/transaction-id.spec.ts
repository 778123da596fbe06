import { type Signature } from '@fresnel/domain/primitives';
import { firstTransactionId, transactionIds } from './transaction-id';

const signature = (byte: number) => Buffer.alloc(64, byte) as Signature;
const idsOf = (slot: number, bytes: number[]) => {
  const ids = transactionIds(slot, bytes.map(signature));
  return bytes.map((byte) => ids.get(signature(byte).toString('hex')));
};

describe('transactionIds', () => {
  it('ranks signatures by their bytes, in any order of the block', () => {
    expect(idsOf(3, [0xff, 0x00, 0x80])).toEqual([3n * 65_536n + 2n, 3n * 65_536n, 3n * 65_536n + 1n]);
    expect(idsOf(3, [])).toEqual([]);
  });

  it('keeps the ids of a slot below those of the next one', () => {
    expect(firstTransactionId(2n ** 40n)).toBe(2n ** 56n);
    expect(idsOf(2 ** 40, [1])).toEqual([2n ** 56n]);
    expect(firstTransactionId(7) - firstTransactionId(6)).toBe(65_536n);
  });
});
