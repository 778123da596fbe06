import fc from 'fast-check';
import { encodeBase58 } from './encode-base58';

/** Keys and signatures have 32 and 64 bytes. Longer inputs than 128 are encoded in another way. */
const lengths = [0, 1, 31, 32, 33, 63, 64, 65, 128, 129, 300];

describe('encodeBase58', () => {
  it.each(lengths)('agrees with digit-by-digit arithmetic for %d bytes', (length) => {
    const bytes = fc.uint8Array({ minLength: length, maxLength: length });
    const zeros = fc.nat({ max: length });
    fc.assert(
      fc.property(bytes, zeros, (input, count) => encodeBase58(input.fill(0, 0, count)) === encodeSlowly(input)),
    );
  });

  it.each(lengths)('encodes the least and the largest number of %d bytes', (length) => {
    for (const byte of [0x00, 0xff]) {
      const input = Buffer.alloc(length, byte);
      expect(encodeBase58(input)).toBe(encodeSlowly(input));
    }
  });

  it.each([
    ['', ''],
    ['00', '1'],
    ['0000', '11'],
    ['61', '2g'],
    ['626262', 'a3gV'],
    ['516b6fcd0f', 'ABnLTmg'],
    ['00eb15231dfceb60925886b67d065299925915aeb172c06647', '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L'],
    ['00'.repeat(32), '1'.repeat(32)],
    ['00'.repeat(64), '1'.repeat(64)],
    [`00${'ff'.repeat(31)}`, '14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL'],
    ['ff'.repeat(32), 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG'],
    [`${'00'.repeat(31)}01`, `${'1'.repeat(31)}2`],
  ])('encodes %s as %s', (hex, text) => {
    expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it('encodes a part of a larger buffer', () => {
    const key = Buffer.from(Array.from({ length: 64 }, (_, at) => at));
    const records = Buffer.concat([Buffer.alloc(3, 0xff), key, Buffer.alloc(5, 0xff)]);
    expect(encodeBase58(records.subarray(3, 67))).toBe(encodeSlowly(key));
  });
});

function encodeSlowly(input: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let rest = BigInt(`0x0${Buffer.from(input).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = alphabet[Number(rest % 58n)] + text;
  const zeros = input.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? input.length : zeros) + text;
}
