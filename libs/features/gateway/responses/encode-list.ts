import { yieldAfter } from '@fresnel/platform';

/** Longest turn of the event loop in which a list is presented or written. Other requests run between the turns. */
const MAX_TURN_MS = 1;
/** Items that are written between two looks at the clock: about 0.1 ms. */
const ITEMS_PER_STEP = 25;
/** Of a part, unless an item is longer. A response keeps all its parts until it is sent. */
const PART_BYTES = 16_384;
/** In UTF-8, of a UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Writes a list of any length as JSON, in short turns of the event loop.
 *
 * @param toJson writes an item
 * @returns the text in encoded parts: one string of millions of characters is joined and encoded in one long turn
 */
export async function encodeList<Item>(items: Iterable<Item>, toJson: (item: Item) => string): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  let part = Buffer.allocUnsafeSlow(PART_BYTES);
  let end = part.write('[');
  let written = 0;
  for (const item of items) {
    const text = written > 0 ? `,${toJson(item)}` : toJson(item);
    const maxBytes = text.length * MAX_BYTES_PER_UNIT;
    if (end + maxBytes > part.length) {
      parts.push(part.subarray(0, end));
      part = Buffer.allocUnsafeSlow(Math.max(PART_BYTES, maxBytes));
      end = 0;
    }
    // At once: V8 keeps the text as many pieces until then, and reads them faster soon after they were written.
    end += part.write(text, end);
    if (++written % ITEMS_PER_STEP === 0) await yieldAfter(MAX_TURN_MS);
  }
  // A copy: most lists are much shorter than a part.
  return [...parts, Buffer.from(part.subarray(0, end)), Buffer.from(']')];
}

/** Writes an object as JSON in encoded parts. @param members JSON by name; null: absent */
export function encodeObject(members: Record<string, string | readonly Buffer[] | null>): Buffer[] {
  const present = Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  const parts = present.flatMap(({ name, value }, at) => [
    Buffer.from(`${at === 0 ? '{' : ','}"${name}":`),
    ...(typeof value === 'string' ? [Buffer.from(value)] : value),
  ]);
  return [...parts, Buffer.from(present.length === 0 ? '{}' : '}')];
}
