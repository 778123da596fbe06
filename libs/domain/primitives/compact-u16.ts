import { MalformedBytesError } from './errors';

/**
 * Solana's "short vector" length: 7 bits per byte, lowest bits first; a set high bit means that another byte follows.
 */
export interface CompactU16 {
  value: number;
  /** Offset of the next byte. */
  next: number;
}

/** @throws MalformedBytesError if it has more than three bytes, is above 65,535, or is not in its shortest form */
export function readCompactU16(bytes: Uint8Array, offset: number): CompactU16 {
  let value = 0;
  for (let i = 0; i < 3; i++) {
    const at = offset + i;
    if (at >= bytes.length) throw new MalformedBytesError('a compact-u16 is truncated');
    const byte = bytes[at];
    value |= (byte & 0x7f) << (7 * i);
    if (byte & 0x80) continue;
    if (value > 0xffff || (byte === 0 && i > 0)) break;
    return { value, next: at + 1 };
  }
  throw new MalformedBytesError('a compact-u16 is out of range');
}
