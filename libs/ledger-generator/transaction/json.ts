/** What `writeJson` can write. Bigints become bare integers with all their digits. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonText
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/** JSON that is written already and goes into the text as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** JSON text without white space, members in the order given. */
export function writeJson(value: JsonValue): string {
  if (value instanceof JsonText) return value.text;
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  return `{${writeMembers(value)}}`;
}

/** The members of an object without the braces around them. */
export function writeMembers(value: Readonly<Record<string, JsonValue>>): string {
  return Object.entries(value)
    .map(([member, item]) => `${JSON.stringify(member)}:${writeJson(item)}`)
    .join(',');
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
