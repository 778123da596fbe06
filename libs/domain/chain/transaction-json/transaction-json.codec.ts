import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { decodeBase58, encodeBase58 } from '@fresnel/domain/primitives';
import { TRANSACTION_JSON_DICTIONARY } from './transaction-json.dictionary';

/*
 * The JSON text of a transaction consists of a few long strings of base64 and base58, and of text that is much the same in
 * all transactions. Stored bytes are
 *
 *     01 | raw DEFLATE (RFC 1951), with a dictionary, of:  u16 count | { u16 length | bytes } of each string | text
 *
 * with little-endian numbers. Control characters in the text, which JSON does not contain otherwise, stand for the strings.
 * Keys that are in the message, in instruction data and in events are equal bytes in this form, so DEFLATE finds them. The
 * dictionary is the fixed one, followed by bytes that are stored beside the JSON and occur in it: signature and hashes.
 */
const FORMAT = 1;
const BASE58_MARK = '\u0001';
const BASE64_MARK = '\u0002';

/** Instruction data in base58, and the transaction in base64. */
const ENCODED = /(?<="data":")[1-9A-HJ-NP-Za-km-z]{8,16000}(?=")|(?<=\[")[A-Za-z0-9+/=]{8,16000}(?=","base64"\])/g;

/**
 * Compresses the JSON text of a transaction.
 *
 * @param known bytes that probably occur in the transaction; the decoder needs the same
 */
export function encodeTransactionJson(json: string, known: readonly Buffer[]): Buffer {
  const strings: Buffer[] = [];
  const text = replaceEncoded(json, (encoded, isBase58) => {
    const bytes = isBase58 ? decodeBase58(encoded) : Buffer.from(encoded, 'base64');
    // Base64 text may have bits that no byte contains.
    if (!isBase58 && bytes.toString('base64') !== encoded) return encoded;
    strings.push(uint16(bytes.length), bytes);
    return isBase58 ? BASE58_MARK : BASE64_MARK;
  });
  const input = Buffer.concat([uint16(strings.length / 2), ...strings, Buffer.from(text)]);
  return Buffer.concat([Buffer.of(FORMAT), deflateRawSync(input, { dictionary: dictionaryWith(known) })]);
}

function dictionaryWith(known: readonly Buffer[]): Buffer {
  return Buffer.concat([TRANSACTION_JSON_DICTIONARY, ...known]);
}

/** Leaves a text as it is that contains a mark already. No JSON does. */
function replaceEncoded(json: string, replace: (encoded: string, isBase58: boolean) => string): string {
  if (json.includes(BASE58_MARK) || json.includes(BASE64_MARK)) return json;
  return json.replace(ENCODED, (encoded: string, at: number) => replace(encoded, json[at - 2] !== '['));
}

/**
 * The JSON text of a transaction, character for character.
 *
 * @param known as when it was encoded
 * @throws Error for bytes in another format
 */
export function decodeTransactionJson(stored: Buffer, known: readonly Buffer[]): string {
  if (stored[0] !== FORMAT) throw new Error(`the JSON of a transaction is stored in the unknown format ${stored[0]}`);
  const input = inflateRawSync(stored.subarray(1), { dictionary: dictionaryWith(known) });
  const strings: Buffer[] = [];
  let at = 2;
  for (let count = input.readUInt16LE(); count > 0; count--) {
    const end = at + 2 + input.readUInt16LE(at);
    strings.push(input.subarray(at + 2, end));
    at = end;
  }
  let next = 0;
  return input.toString('utf8', at).replace(/[\u0001\u0002]/g, (mark) => {
    if (next === strings.length) return mark;
    const bytes = strings[next++];
    return mark === BASE58_MARK ? encodeBase58(bytes) : bytes.toString('base64');
  });
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
