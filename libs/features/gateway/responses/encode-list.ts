import { yieldAfter } from '@fresnel/platform';
import { ITEMS_PER_STEP, MAX_TURN_MS } from './list-text';

/** Characters that are encoded at once. */
const PART_CHARACTERS = 65_536;

/**
 * Writes a list of any length as JSON, in short turns of the event loop.
 *
 * @param toJson writes an item
 * @returns the text in encoded parts: one string of millions of characters is joined and encoded in one long turn
 */
export async function encodeList<Item>(items: Iterable<Item>, toJson: (item: Item) => string): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  let text = '[';
  let written = 0;
  for (const item of items) {
    text += written > 0 ? `,${toJson(item)}` : toJson(item);
    if (text.length >= PART_CHARACTERS) {
      parts.push(Buffer.from(text));
      text = '';
    }
    if (++written % ITEMS_PER_STEP === 0) await yieldAfter(MAX_TURN_MS);
  }
  return [...parts, Buffer.from(`${text}]`)];
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
