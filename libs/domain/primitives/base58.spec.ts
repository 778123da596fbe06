import fc from 'fast-check';
import { decodeBase58, encodeBase58 } from './base58';
import { MalformedTextError } from './errors';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

describe('base58', () => {
  it.each([
    ['', ''],
    ['00', '1'],
    ['0000', '11'],
    ['61', '2g'],
    ['626262', 'a3gV'],
    ['516b6fcd0f', 'ABnLTmg'],
    ['00eb15231dfceb60925886b67d065299925915aeb172c06647', '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L'],
    ['00'.repeat(32), '1'.repeat(32)],
    [
      '00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      '14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL',
    ],
  ])('writes %s as %s and reads it back', (hex, text) => {
    expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(text);
    expect(decodeBase58(text).toString('hex')).toBe(hex);
  });

  it('decodes what it encodes, for any bytes', () => {
    fc.assert(fc.property(bytes(200), (input) => decodeBase58(encodeBase58(input)).equals(input)));
  });

  it('agrees with digit-by-digit arithmetic', () => {
    fc.assert(fc.property(bytes(300), (input) => encodeBase58(input) === encodeSlowly(input)));
  });

  it.each(['0', 'O', 'I', 'l', ' 2g', '2g\n', 'é', '\ud800'])('rejects the text %j', (text) => {
    expect(() => decodeBase58(text)).toThrow(MalformedTextError);
  });

  it('rejects a length that is not the expected one', () => {
    const key = encodeBase58(Buffer.alloc(32, 7));
    expect(decodeBase58(key, 32)).toHaveLength(32);
    expect(() => decodeBase58(key, 31)).toThrow(MalformedTextError);
    expect(() => decodeBase58(`${key}1`, 32)).toThrow(MalformedTextError);
    expect(() => decodeBase58('1'.repeat(31), 32)).toThrow(MalformedTextError);
    expect(() => decodeBase58('z'.repeat(1_000_000), 32)).toThrow(MalformedTextError);
  });
});

function encodeSlowly(input: Buffer): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let rest = BigInt(`0x0${input.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = alphabet[Number(rest % 58n)] + text;
  const zeros = input.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? input.length : zeros) + text;
}
