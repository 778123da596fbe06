/** Values that `writeJson` accepts. Bigints become integers with all digits. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonText
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/** JSON text that `writeJson` copies verbatim. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Writes JSON without white space, with members in their given order. */
export function writeJson(value: JsonValue): string {
  if (value instanceof JsonText) return value.text;
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  return `{${writeMembers(value)}}`;
}

/** Writes the members of an object without the braces. */
export function writeMembers(value: Readonly<Record<string, JsonValue>>): string {
  return Object.entries(value)
    .map(([member, item]) => `${JSON.stringify(member)}:${writeJson(item)}`)
    .join(',');
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
