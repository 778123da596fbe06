import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { encodeBase58 } from './base58';
import { decodeWithBigIntegers, nativeDecoder } from './base58-decoders';
import { MalformedTextError } from './errors';

const LONGEST = 16_000;
const decoders = [
  { name: 'big integers', decode: decodeWithBigIntegers },
  ...(nativeDecoder ? [{ name: 'machine code', decode: nativeDecoder }] : []),
];

it('uses machine code where it is compiled', () => {
  expect(nativeDecoder !== null).toBe(existsSync(join(__dirname, 'native-base58.node')));
});

describe.each(decoders)('decoding with $name', ({ decode }) => {
  it('returns the bytes that were encoded', () => {
    const zeros = fc.nat({ max: 70 }).map((length) => Buffer.alloc(length));
    const bytes = fc.tuple(zeros, fc.uint8Array({ maxLength: 1_000 })).map((parts) => Buffer.concat(parts));
    fc.assert(fc.property(bytes, (input) => decode(encodeBase58(input)).equals(input)));
  });

  it.each([LONGEST - 1, LONGEST, LONGEST + 1])('decodes texts of %d characters', (length) => {
    expect(decode('1'.repeat(length))).toEqual(Buffer.alloc(length));
    const text = 'z'.repeat(length);
    expect(encodeBase58(decode(text))).toBe(text);
  });

  it.each([
    ['0', 1],
    ['2gO', 3],
    ['11I', 3],
    ['1111111111l1111111111', 11],
    ['abcdefghijk\n', 12],
    ['2é', 2],
    ['2g\u0131', 3], // its lower byte is that of 1
    ['\ud8001', 1],
    [`${'z'.repeat(LONGEST)}-`, LONGEST + 1],
  ])('rejects %j for the character %d', (text, place) => {
    expect(() => decode(text)).toThrow(new MalformedTextError(`not base58: character ${place}`));
  });
});
