import { HASH_BYTES, SIGNATURE_BYTES } from './brands';
import { encodeBase58 } from './base58';
import { MalformedBytesError } from './errors';
import { BASE58_ADDON } from './base58-addon';

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
} as const;

/**
 * Writes records as text: for each the template with its fields, with commas between them. A list of a hundred keys is written
 * without an object or a text for each.
 *
 * @param template of less than 1,023 characters in ASCII; has a field that is not of digits
 * @throws an error if the records do not have the fields of the template
 */
export const formatRecords: (records: Buffer, template: string) => string =
  BASE58_ADDON.formatRecords ?? formatWithTexts;

/** As `formatRecords`, encoded. For texts of many kilobytes, which then are not copied on their way to a socket. */
export const encodeRecords: (records: Buffer, template: string) => Buffer =
  BASE58_ADDON.encodeRecords ?? ((records, template) => Buffer.from(formatWithTexts(records, template), 'latin1'));

/** `formatRecords` where the addon is not compiled. */
export function formatWithTexts(records: Buffer, template: string): string {
  const texts: string[] = [];
  const characters = Array.from(template);
  let next = 0;
  const take = (length: number) => {
    if (records.length - next < length)
      throw new MalformedBytesError('the records do not have the fields of the template');
    next += length;
    return records.subarray(next - length, next);
  };
  const write = (character: string) => {
    if (character === RECORD_FIELDS.key) return encodeBase58(take(HASH_BYTES));
    if (character === RECORD_FIELDS.signature) return encodeBase58(take(SIGNATURE_BYTES));
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
