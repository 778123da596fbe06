import bs58 from 'bs58';
import { listChangedKeys } from './transaction-keys';

const keyOf = (seed: number) => new Uint8Array(32).fill(seed);
const SIGNATURE = new Uint8Array(64);
/** Two signers, of which one is read only; four other keys, of which one is read only. */
const HEADER = [2, 1, 1];
const KEYS = [1, 2, 3, 4, 5, 6].flatMap((seed) => [...keyOf(seed)]);
const MESSAGE = [...HEADER, 6, ...KEYS, ...keyOf(9), 0];
const CHANGED = [3, 4, 5].map((seed) => bs58.encode(keyOf(seed)));
const toBase64 = (bytes: number[]) => Buffer.from(bytes).toString('base64');

it.each([
  ['a legacy transaction', [2, ...SIGNATURE, ...SIGNATURE, ...MESSAGE], CHANGED],
  ['version 0', [1, ...SIGNATURE, 0x80, ...MESSAGE, 0], CHANGED],
  ['version 1', [0x81, ...HEADER, 0, 0, 0, 0, ...keyOf(9), 0, KEYS.length / 32, ...KEYS, ...SIGNATURE], CHANGED],
  ['a later version', [1, ...SIGNATURE, 0x82, ...MESSAGE], []],
  ['another later version', [0x82, ...HEADER, 0, 0, 0, 0, ...keyOf(9), 0, KEYS.length / 32, ...KEYS], []],
  ['a part of a transaction', [1, ...SIGNATURE, ...MESSAGE.slice(0, 100)], []],
  ['counts without an end', Array.from({ length: 200_000 }, () => 0xff), []],
  ['nothing', [], []],
])('lists the keys of %s', (_, bytes, keys) => {
  expect(listChangedKeys(toBase64(bytes))).toEqual(keys);
});

it('reads counts of several bytes', () => {
  const keys = Array.from({ length: 300 }, (_, seed) => keyOf(seed));
  const bytes = [1, ...SIGNATURE, 1, 0, 0, 0xac, 0x02, ...keys.flatMap((key) => [...key])];
  expect(listChangedKeys(toBase64(bytes))).toEqual(keys.slice(1).map((key) => bs58.encode(key)));
});
