import { type Static, type TSchema } from 'typebox';
import { compileSerializer } from './compile-serializer';
import { encodeList, encodeObject } from './encode-list';
import { type JsonText } from './response-text';

/** Presents items and writes them as a JSON array, in short turns of the event loop. */
export type ListSerializer<Schema extends TSchema> = <Item>(
  items: Iterable<Item>,
  present: (item: Item) => Static<Schema>,
) => Promise<Buffer[]>;

/** Compiles a function that writes lists of items of a schema. */
export function compileListSerializer<Schema extends TSchema>(schema: Schema): ListSerializer<Schema> {
  const toJson = compileSerializer(schema);
  return (items, present) => encodeList(items, (item) => toJson(present(item)));
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
