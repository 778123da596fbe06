import { encodeBase58 } from '@fresnel/domain/primitives';
import { Random } from '../random';
import { dataToBase58 } from './base58-data';

describe('dataToBase58', () => {
  it.each([0, 1, 4, 5, 7, 8, 32, 129, 600])('writes %i bytes like the codec of keys', (length) => {
    const random = new Random(length);
    const data = random.bytes(length);
    const withZeros = Buffer.concat([Buffer.alloc(3), data]);
    expect([data, withZeros].map(dataToBase58)).toEqual([data, withZeros].map(encodeBase58));
  });

  it('writes each zero byte at the beginning as a one', () => {
    expect(dataToBase58(Buffer.alloc(4))).toBe('1111');
  });
});
