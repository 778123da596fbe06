import { readCompactU16 } from './compact-u16';
import { MalformedBytesError } from './errors';

describe('compact-u16', () => {
  it.each([
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [16_383, 'ff7f'],
    [16_384, '808001'],
    [65_535, 'ffff03'],
  ])('reads %i from %s', (value, hex) => {
    expect(readCompactU16(Buffer.from(`aa${hex}`, 'hex'), 1)).toEqual({ value, next: 1 + hex.length / 2 });
  });

  it.each(['', '80', 'ffff04', 'ffffff', '8000', '808000'])('rejects %j', (hex) => {
    expect(() => readCompactU16(Buffer.from(hex, 'hex'), 0)).toThrow(MalformedBytesError);
  });
});
