import fc from 'fast-check';
import { packBytes, unpackBytes } from './packed-bytes';

it('returns the strings that were packed, in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (strings) => {
      expect(unpackBytes(packBytes(strings))).toEqual(strings.map((string) => Buffer.from(string)));
    }),
  );
});

it('copies the strings, so that their memory can move to another thread', () => {
  const string = Buffer.from('abc');
  const packed = packBytes([string]);
  string.fill(0);
  expect(packed.bytes.buffer.byteLength).toBe(3);
  expect(unpackBytes(packed)).toEqual([Buffer.from('abc')]);
});
