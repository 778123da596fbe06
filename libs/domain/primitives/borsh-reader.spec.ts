import { BorshReader } from './borsh-reader';
import { MalformedBytesError } from './errors';

const reader = (hex: string) => new BorshReader(Buffer.from(hex, 'hex'));

describe('BorshReader', () => {
  it('reads little-endian numbers up to their maximum', () => {
    const input = reader('ff' + '0201' + '04030201' + 'ffffffffffffffff');
    expect([input.u8(), input.u16(), input.u32(), input.u64()]).toEqual([255, 0x0102, 0x01020304, 2n ** 64n - 1n]);
    expect(input.remaining).toBe(0);
  });

  it('reads every byte except 0 as true, like the chain', () => {
    const input = reader('000102ff');
    expect([input.bool(), input.bool(), input.bool(), input.bool()]).toEqual([false, true, true, true]);
  });

  it('rejects an option tag above 1, but a lenient option reads it as absent', () => {
    expect(reader('0105').lenientOption(() => 5)).toBe(5);
    expect(reader('02').lenientOption(() => 5)).toBeNull();
    expect(() => reader('02').option(() => 5)).toThrow(MalformedBytesError);
  });

  it.each([
    ['a number past the end', (input: BorshReader) => input.u64()],
    ['a byte vector longer than the input', (input: BorshReader) => input.byteVector()],
    ['four billion items', (input: BorshReader) => input.vector(1, () => input.u8())],
    ['more short items than there are bytes', (input: BorshReader) => input.shortVector(32, () => input.hash())],
  ])('rejects %s', (_, read) => {
    expect(() => read(reader('ffffffff'))).toThrow(MalformedBytesError);
  });

  it('reads vectors item by item', () => {
    const input = reader('02000000' + '0100' + '0200' + '01' + '07');
    expect(input.vector(2, () => input.u16())).toEqual([1, 2]);
    expect(input.shortVector(1, () => input.u8())).toEqual([7]);
  });
});
