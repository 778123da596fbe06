import { HASH_BYTES, SIGNATURE_BYTES } from './brands';
import { encodeBase58 } from './base58';
import { MalformedBytesError } from './errors';
import { BASE58_ADDON } from './base58-addon';

const MISSING_FIELDS = 'the records do not have the fields of the template';

/** Characters of a template that stand for the next field of a record. */
export const RECORD_FIELDS = {
  /** 32 bytes, written as base58. */
  key: '\x01',
  /** 64 bytes, written as base58. */
  signature: '\x02',
  /** A signed integer of 64 bits, big endian. */
  integer: '\x03',
  /** Digits up to a byte 0, or to the end of the records. */
  digits: '\x04',
  /** No field, but the next reference to a key that records share; written as base58. */
  reference: '\x05',
} as const;

/**
 * Writes records as text: for each the template with its fields, with commas between them. A list of a hundred keys is written
 * without an object or a text for each.
 *
 * @param template of less than 1,023 characters in ASCII; has a key, a signature or an integer
 * @param keys that records share, of 32 bytes each; each is encoded once
 * @param references places in `keys`, one for each reference in the text
 * @throws an error if the records do not have the fields of the template, or there is no such key
 */
export const formatRecords: (...records: Records) => string = BASE58_ADDON.formatRecords ?? formatWithTexts;

/**
 * Writes the text of `formatRecords` in ASCII to memory of at least `maxTextBytes`. For texts of many kilobytes, which then are not
 * copied on their way to a socket, and whose memory can be used again.
 *
 * @returns the bytes that it has written
 */
export const writeRecords: (output: Buffer, ...records: Records) => number =
  BASE58_ADDON.writeRecords ?? ((output, ...records) => output.write(formatWithTexts(...records), 'latin1'));

type Records = [records: Buffer, template: string, keys?: Buffer, references?: Uint32Array];

/** Bytes of a field in a record, and the most characters that it is written as. */
const FIELD_SIZES: Readonly<Record<string, { bytes: number; characters: number }>> = {
  [RECORD_FIELDS.key]: { bytes: 32, characters: 44 },
  [RECORD_FIELDS.signature]: { bytes: 64, characters: 88 },
  [RECORD_FIELDS.integer]: { bytes: 8, characters: 20 },
  [RECORD_FIELDS.reference]: { bytes: 0, characters: 44 },
};
const LITERAL = { bytes: 0, characters: 1 };

/** The most bytes that the text of records needs while it is written. @param template without digits, which may be of any length */
export function maxTextBytes(recordBytes: number, template: string): number {
  const sizes = Array.from(template, (character) => FIELD_SIZES[character] ?? LITERAL);
  const shortest = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const longest = sizes.reduce((sum, { characters }) => sum + characters, ','.length);
  return (Math.floor(recordBytes / shortest) + 1) * longest;
}

/** `formatRecords` where the addon is not compiled. */
export function formatWithTexts(
  records: Buffer,
  template: string,
  keys: Buffer = Buffer.alloc(0),
  references: Uint32Array = new Uint32Array(0),
): string {
  const texts: string[] = [];
  const keyTexts: string[] = [];
  let nextReference = 0;
  const characters = Array.from(template);
  let next = 0;
  const take = (length: number) => {
    if (records.length - next < length) throw new MalformedBytesError(MISSING_FIELDS);
    next += length;
    return records.subarray(next - length, next);
  };
  const takeReference = () => {
    const at = references.at(nextReference++) ?? Infinity;
    if (at >= keys.length / HASH_BYTES) throw new MalformedBytesError(MISSING_FIELDS);
    return (keyTexts[at] ??= encodeBase58(keys.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)));
  };
  const write = (character: string) => {
    if (character === RECORD_FIELDS.key) return encodeBase58(take(HASH_BYTES));
    if (character === RECORD_FIELDS.signature) return encodeBase58(take(SIGNATURE_BYTES));
    if (character === RECORD_FIELDS.reference) return takeReference();
    if (character === RECORD_FIELDS.integer) return String(take(8).readBigInt64BE());
    if (character !== RECORD_FIELDS.digits) return character;
    const end = records.indexOf(0, next);
    const digits = take((end < 0 ? records.length : end) - next).toString('latin1');
    if (end >= 0) next = end + 1;
    return digits;
  };
  while (next < records.length) texts.push(characters.map(write).join(''));
  return texts.join(',');
}
