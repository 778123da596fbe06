import bs58 from 'bs58';

const HASH_BYTES = 32;
const SLOT_BYTES = 8;
const SIGNATURE_BYTES = 64;
/** Control and format characters, also those that change the direction of text, and what is no character. */
const INVISIBLE = /[\p{C}\u2028\u2029\ufffd]/gu;

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The length of base64 with padding. */
export function countBytes(base64: string): number {
  return (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Lines of 16 bytes: offset, hex and text. A byte that is no printable character of ASCII is a dot. */
export function toHexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += 16) {
    const part = bytes.subarray(offset, offset + 16);
    const hex = toHex(part).replace(/(..)(?=.)/g, '$1 ');
    const text = [...part].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${offset.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines.join('\n');
}

/** The bytes as UTF-8, with a dot for what is invisible or no text. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(INVISIBLE, '·');
}

/** What a user has typed into the search box. */
export type Query =
  | { kind: 'slot'; slot: number }
  | { kind: 'signature'; signature: string }
  | { kind: 'key'; key: string }
  | { kind: 'invalid'; reason: string };

/** Recognizes a query by its form. A key may be that of an account, address, owner, mint or tree. */
export function recognize(text: string): Query {
  const query = text.trim();
  if (/^[\d,_ ]+$/.test(query)) {
    const slot = Number(query.replace(/[,_ ]/g, ''));
    if (Number.isSafeInteger(slot) && query.length < HASH_BYTES) return { kind: 'slot', slot };
  }
  const bytes = bs58.decodeUnsafe(query);
  if (bytes?.length === SIGNATURE_BYTES) return { kind: 'signature', signature: query };
  if (bytes?.length === HASH_BYTES) return { kind: 'key', key: query };
  if (query === '') return { kind: 'invalid', reason: 'Enter a signature, hash, address, owner, mint, tree or slot.' };
  const found = bytes ? `These are ${bytes.length} bytes.` : 'This is not base58, which has no 0, O, I and l.';
  return {
    kind: 'invalid',
    reason: `${found} A signature has 64 bytes, a hash or key 32 bytes, both in base58; a slot is a number.`,
  };
}

/** The cursor of the signatures of a slot and those before it. A cursor is slot and signature of what precedes the page. */
export function cursorBefore(slot: number): string {
  const bytes = new Uint8Array(SLOT_BYTES + SIGNATURE_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(slot) + 1n, true);
  return bs58.encode(bytes);
}

/** Whether the bytes contain a hash. */
export function containsHash(bytes: Uint8Array, hash: string): boolean {
  const wanted = bs58.decode(hash);
  for (let at = bytes.indexOf(wanted[0]); at >= 0; at = bytes.indexOf(wanted[0], at + 1)) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return true;
  }
  return false;
}
