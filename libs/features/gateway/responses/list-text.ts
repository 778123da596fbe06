import { yieldAfter } from '@fresnel/platform';
import { type Static, type TSchema } from 'typebox';
import { compileSerializer } from './compile-serializer';

/** Longest turn of the event loop in which a list is presented or written. Other requests run between the turns. */
export const MAX_TURN_MS = 1;
/** Items that are written between two looks at the clock: about 0.1 ms. */
export const ITEMS_PER_STEP = 25;

/** Compiles a function that presents items and writes them as a JSON array, in short turns of the event loop. */
export function compileListSerializer<Schema extends TSchema, Item>(
  schema: Schema,
  present: (item: Item) => Static<Schema>,
): (items: readonly Item[]) => Promise<string> {
  const toJson = compileSerializer(schema);
  return async (items) => {
    const texts: string[] = [];
    for (const item of items) {
      if (texts.push(toJson(present(item))) % ITEMS_PER_STEP === 0) await yieldAfter(MAX_TURN_MS);
    }
    return `[${texts.join(',')}]`;
  };
}

/** A result with its slot. @param value as JSON text */
export function contextText(slot: number, value: string): string {
  return `{"context":{"slot":${slot}},"value":${value}}`;
}

/** A whole list with its slot. @param items as JSON text */
export function itemsText(slot: number, items: string): string {
  return contextText(slot, `{"items":${items}}`);
}

/** A page with its slot. @param items as JSON text @param list the name of the list */
export function pageText(slot: number, items: string, cursor: string | null, list = 'items'): string {
  return contextText(slot, `{"${list}":${items},"cursor":${JSON.stringify(cursor)}}`);
}
