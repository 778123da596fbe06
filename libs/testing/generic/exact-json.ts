import { encodeBase58 } from '@fresnel/domain/primitives';

/** JSON text that `writeExactJson` copies verbatim. */
export class ExactJson {
  constructor(readonly text: string) {}
}

/**
 * Writes JSON without rounding: bigints become numbers of any length, byte strings become text. Bytes of the length of a
 * key, a hash or a signature are written in base58, others in hex. Undefined members are omitted.
 */
export function writeExactJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof ExactJson) return value.text;
  if (Buffer.isBuffer(value)) return JSON.stringify(bytesToText(value));
  if (Array.isArray(value)) return `[${value.map(writeExactJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeExactJson(member)}`);
  return `{${members.join()}}`;
}

/** A number of 16 digits and more, after its separator. Text that contains this would no longer be JSON, which fails loudly. */
const LONG_NUMBER = /([:[,]\s*)(\d{16,})(?=\s*[,}\]])/g;
const LONG_DIGITS = 16;

/** Parses JSON with numbers of 16 digits and more as text, so that none is rounded. */
export function parseExactJson(json: string): unknown {
  return JSON.parse(json.replace(LONG_NUMBER, '$1"$2"'));
}

/** Returns what `parseExactJson` makes of the value's JSON, without the text between. */
export function toExactForm(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const digits = value.toString();
    return digits.length < LONG_DIGITS ? Number(value) : digits;
  }
  if (value instanceof ExactJson) return parseExactJson(value.text);
  if (Buffer.isBuffer(value)) return bytesToText(value);
  if (Array.isArray(value)) return value.map(toExactForm);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toExactForm(member)]));
}

function bytesToText(bytes: Buffer): string {
  return bytes.length === 32 || bytes.length === 64 ? encodeBase58(bytes) : bytes.toString('hex');
}
