import { encodeSignatureCursor } from '@fresnel/contracts/rpc';
import bs58 from 'bs58';
import { containsHash, cursorBefore, recognize, toHexLines, toText } from './bytes';

const KEY = 'bmt1LryLZUMmF7ZtqESaw7wifBXLfXHQYoE4GAmrahU';
const SIGNATURE = '5WTWTQNXqydFoG9N24fqEDTGSL2LCYgTJSzcjvq6VtMsadm2A8KefPQtJk488tkY5wHQUnuqDag9z4FxCQ9oQ6rq';

describe('recognize', () => {
  it.each([
    [KEY, { kind: 'key', key: KEY }],
    [` ${KEY}\n`, { kind: 'key', key: KEY }],
    ['11111111111111111111111111111111', { kind: 'key', key: '11111111111111111111111111111111' }],
    [SIGNATURE, { kind: 'signature', signature: SIGNATURE }],
    ['0', { kind: 'slot', slot: 0 }],
    ['380,000,000', { kind: 'slot', slot: 380_000_000 }],
  ])('%j', (text, query) => {
    expect(recognize(text)).toEqual(query);
  });

  it.each([
    ['', /^Enter/],
    ['0OIl', /not base58/],
    ['abc', /^These are 3 bytes/],
    [`${SIGNATURE}1`, /^These are 65 bytes/],
    ['99999999999999999999', /^These are 15 bytes/],
    ['<script>', /not base58/],
  ])('says what is wrong with %j', (text, reason) => {
    expect(recognize(text)).toEqual({ kind: 'invalid', reason: expect.stringMatching(reason) });
  });
});

it('writes bytes as lines of hex and text', () => {
  expect(toHexLines(Uint8Array.from({ length: 17 }, (_, at) => 0x30 + at))).toBe(
    '000000  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?\n' + `000010  40${' '.repeat(47)}@`,
  );
  expect(toHexLines(new Uint8Array())).toBe('');
});

it('shows no invisible characters, and no halves of pairs', () => {
  expect(toText(new TextEncoder().encode('a\u202eb\u0000c\u200bd\u2066é漢😀'))).toBe('a·b·c·d·é漢😀');
  expect(toText(Uint8Array.of(0xed, 0xa0, 0x80, 0x41))).toBe('···A');
});

it('knows the cursor before a slot', () => {
  const nothing = new Uint8Array(64);
  expect(cursorBefore(1_004)).toBe(
    encodeSignatureCursor({ slot: 1_005, signature: nothing } as unknown as Parameters<
      typeof encodeSignatureCursor
    >[0]),
  );
});

it('finds a hash in bytes', () => {
  const hash = bs58.decode(KEY);
  const bytes = Uint8Array.of(hash[0], 0, ...hash, 7);
  expect(containsHash(bytes, KEY)).toBe(true);
  expect(containsHash(bytes.subarray(0, -2), KEY)).toBe(false);
});
