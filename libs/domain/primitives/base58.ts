import { decodeWithBigIntegers, nativeDecoder } from './base58-decoders';
import { encodeWithSums, nativeEncoder } from './base58-encoders';
import { MalformedTextError } from './errors';

/** Encodes base58 with the Bitcoin alphabet: a leading zero byte becomes a leading `1`. */
export const encodeBase58 = nativeEncoder ?? encodeWithSums;

const decode = nativeDecoder ?? decodeWithBigIntegers;

/**
 * Decodes base58.
 *
 * @param length expected number of bytes; a text whose length cannot match is rejected before it is decoded
 * @throws MalformedTextError for a character outside the alphabet or another length
 */
export function decodeBase58(text: string, length?: number): Buffer {
  if (length !== undefined && (text.length < length || text.length > Math.ceil(length * 1.3658))) {
    throw new MalformedTextError(`${text.length} base58 characters cannot be ${length} bytes`);
  }
  const bytes = decode(text);
  if (length !== undefined && bytes.length !== length) {
    throw new MalformedTextError(`this base58 text has ${bytes.length} bytes, not ${length}`);
  }
  return bytes;
}
