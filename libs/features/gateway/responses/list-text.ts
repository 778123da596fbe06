import { type Static, type TSchema } from 'typebox';
import { compileSerializer } from './compile-serializer';
import { encodeList, encodeObject } from './encode-list';
import { type JsonText } from './response-text';

/** Compiles a function that presents items and writes them as a JSON array, in short turns of the event loop. */
export function compileListSerializer<Schema extends TSchema, Item>(
  schema: Schema,
  present: (item: Item) => Static<Schema>,
): (items: Iterable<Item>) => Promise<Buffer[]> {
  const toJson = compileSerializer(schema);
  return (items) => encodeList(items, (item) => toJson(present(item)));
}

/** A result with its slot. @param value as JSON */
export function contextText(slot: number, value: JsonText): JsonText {
  return encodeObject({ context: `{"slot":${slot}}`, value });
}

/** A whole list with its slot. @param items as JSON */
export function itemsText(slot: number, items: JsonText): JsonText {
  return contextText(slot, encodeObject({ items }));
}

/** A page with its slot. @param items as JSON @param list the name of the list */
export function pageText(slot: number, items: JsonText, cursor: string | null, list = 'items'): JsonText {
  return contextText(slot, encodeObject({ [list]: items, cursor: JSON.stringify(cursor) }));
}
