import { fuzz, hostileText } from '@fresnel/testing/generic';
import fc from 'fast-check';
import { decodeBase58 } from './decode-base58';
import { encodeBase58 } from './encode-base58';
import { MalformedTextError } from './errors';

/** Much more than a transaction contains. */
const LONG = 16_000;
describe('decodeBase58', () => {
  it('returns the bytes that were encoded', () => {
    const zeros = fc.nat({ max: 70 }).map((length) => Buffer.alloc(length));
    const bytes = fc.tuple(zeros, fc.uint8Array({ maxLength: 1_000 })).map((parts) => Buffer.concat(parts));
    fc.assert(fc.property(bytes, (input) => decodeBase58(encodeBase58(input)).equals(input)));
  });

  it.each([LONG, LONG + 1])('decodes texts of %d characters', (length) => {
    expect(decodeBase58('1'.repeat(length))).toEqual(Buffer.alloc(length));
    const text = 'z'.repeat(length);
    expect(encodeBase58(decodeBase58(text))).toBe(text);
  });

  it('returns bytes that are encoded to the same, or throws MalformedTextError, for any text', () => {
    const keys = hostileText([encodeBase58(Buffer.alloc(32, 7)), encodeBase58(Buffer.alloc(32, 255)), '1'.repeat(32)]);
    const check = (text: string, length?: number) => {
      expect(encodeBase58(decodeBase58(text, length))).toBe(text);
    };
    fuzz(
      keys,
      (text) => {
        check(text);
      },
      { throws: [MalformedTextError] },
    );
    fuzz(
      keys,
      (text) => {
        check(text, 32);
      },
      { throws: [MalformedTextError] },
    );
  });

  it('rejects a length that is not the expected one', () => {
    const key = encodeBase58(Buffer.alloc(32, 7));
    expect(decodeBase58(key, 32)).toHaveLength(32);
    expect(() => decodeBase58(key, 31)).toThrow(MalformedTextError);
    expect(() => decodeBase58(`${key}1`, 32)).toThrow(MalformedTextError);
    expect(() => decodeBase58('1'.repeat(31), 32)).toThrow(MalformedTextError);
    expect(() => decodeBase58('z'.repeat(1_000_000), 32)).toThrow(MalformedTextError);
  });

  it.each([
    ['0', 1],
    ['O', 1],
    [' 2g', 1],
    ['2gO', 3],
    ['11I', 3],
    ['1111111111l1111111111', 11],
    ['abcdefghijk\n', 12],
    ['2é', 2],
    ['2g\u0131', 3], // its lower byte is that of 1
    ['\ud8001', 1],
    [`${'z'.repeat(LONG)}-`, LONG + 1],
  ])('rejects %j for the character %d', (text, place) => {
    expect(() => decodeBase58(text)).toThrow(new MalformedTextError(`not base58: character ${place}`));
  });
});
