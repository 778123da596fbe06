import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { deflateWithZlib, dictionaryWith, nativeDeflate } from './deflate';
import { TRANSACTION_JSON_DICTIONARY } from './transaction-json.dictionary';

const implementations = [
  { name: 'zlib', deflate: deflateWithZlib },
  ...(nativeDeflate ? [{ name: 'machine code', deflate: nativeDeflate }] : []),
];

/** Bytes that do not repeat. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(Array.from({ length }, () => (state = (state * 48_271) % 0x7fffffff) >> 8));
}

it('uses machine code where it is compiled', () => {
  expect(nativeDeflate !== null).toBe(existsSync(join(__dirname, 'native-deflate.node')));
});

describe.each(implementations)('compressing with $name', ({ deflate }) => {
  const restored = (input: Buffer, known: readonly Buffer[] = []) =>
    inflateRawSync(deflate(input, known), { dictionary: dictionaryWith(known) });

  it('restores any bytes', () => {
    const noise = fc.uint8Array({ maxLength: 700 });
    const run = fc
      .tuple(fc.nat({ max: 255 }), fc.nat({ max: 600 }))
      .map(([byte, length]) => new Uint8Array(length).fill(byte));
    const text = fc
      .tuple(fc.nat({ max: TRANSACTION_JSON_DICTIONARY.length }), fc.nat({ max: 900 }))
      .map(([at, length]) => TRANSACTION_JSON_DICTIONARY.subarray(at, at + length));
    const parts = fc.array(fc.oneof(noise, run, text), { maxLength: 8 });
    const known = fc.array(noise, { maxLength: 3 });
    fc.assert(
      fc.property(parts, known, fc.boolean(), (parts, known, isRepeated) => {
        const input = Buffer.concat([...parts, ...(isRepeated ? [...parts, ...known] : [])]);
        const knownBytes = known.map((bytes) => Buffer.from(bytes));
        expect(restored(input, knownBytes)).toEqual(input);
      }),
    );
  });

  it.each([0, 1, 3, 4, 257, 258, 259, 300, 515, 516, 517, 20_000])('restores %d equal bytes', (length) => {
    const input = Buffer.alloc(length, 0xd5);
    expect(restored(input)).toEqual(input);
    expect(deflate(input, []).length).toBeLessThan(10 + length / 100);
  });

  it('restores repetitions at all distances', () => {
    const unique = noise(25_000);
    for (let distance = 1; distance < unique.length; distance = Math.ceil(distance * 1.07)) {
      const bytes = unique.subarray(0, distance);
      const input = Buffer.concat([bytes, bytes.subarray(0, 40), Buffer.from([0])]);
      expect(restored(input).equals(input)).toBe(true);
    }
  });

  it('restores inputs that fill the window of DEFLATE, and longer ones', () => {
    const rest = 32_768 - TRANSACTION_JSON_DICTIONARY.length;
    for (const length of [rest - 100, rest - 99, rest, rest + 1, 100_000]) {
      const input = noise(length);
      input.set(TRANSACTION_JSON_DICTIONARY.subarray(0, 200), length - 200);
      const known = [noise(100)];
      expect(restored(input, known).equals(input)).toBe(true);
      expect(deflate(input, known).length).toBeLessThan(length * 1.13);
    }
  });

  it('finds text of the dictionary and known bytes', () => {
    const known = noise(64);
    const dictionary = TRANSACTION_JSON_DICTIONARY.subarray(500, 700);
    expect(deflate(Buffer.concat([dictionary, known, dictionary]), [known]).length).toBeLessThan(30);
  });

  it('compresses the next input as if it were the first one', () => {
    const [one, other] = [Buffer.from('abcdefgh'.repeat(50)), noise(300)];
    const first = deflate(one, [other]);
    deflate(other, [one]);
    expect(deflate(one, [other])).toEqual(first);
  });
});
