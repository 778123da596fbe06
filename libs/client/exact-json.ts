/** A string, which is skipped, or a number. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Integers that a double may not have exactly. */
const LONG = /^-?\d{16,}$/;
const MARK = 'integer:';

/**
 * Parses JSON without losing digits of integers.
 *
 * @param exactMembers names of members whose integers, or arrays of integers, become bigint. Others do so only above 2^53-1.
 * @throws SyntaxError if it is not JSON
 */
export function parseExact(text: string, exactMembers: readonly string[] = []): unknown {
  const isExact = new Set(exactMembers);
  const marked = /\d{16}/.test(text)
    ? text.replace(TOKENS, (token) => (LONG.test(token) ? `"${MARK}${token}"` : token))
    : text;
  return JSON.parse(marked, (name, value: unknown) => {
    const integer = typeof value === 'string' && value.startsWith(MARK) ? readMarked(value) : value;
    if (!isExact.has(name)) return integer;
    return Array.isArray(integer) ? integer.map(toBigInt) : toBigInt(integer);
  });
}

function readMarked(text: string): unknown {
  const digits = text.slice(MARK.length);
  if (!LONG.test(digits)) return text;
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
}

function toBigInt(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
