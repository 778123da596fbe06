/**
 * Converts a message to values that JSON can represent. Equal messages, and only those, have the same plain form: bytes,
 * bigints and dates become strings that start with their type.
 */
export function toPlainMessage(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return `bytes ${value.toString('hex')}`;
  if (typeof value === 'bigint') return `number ${value}`;
  if (typeof value === 'string') return `text ${value}`;
  if (value instanceof Date) return `time ${value.toISOString()}`;
  if (Array.isArray(value)) return value.map(toPlainMessage);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlainMessage(member)]));
}

/** The shapes in a message: which fields are null, empty or set, and which kinds occur. */
export function shapesOf(value: unknown, path = ''): string[] {
  if (value === null || typeof value !== 'object') return [`${path} ${value === null ? 'null' : 'set'}`];
  if (Buffer.isBuffer(value) || value instanceof Date) return [`${path} set`];
  if (Array.isArray(value)) {
    const shapes = value.flatMap((item) => shapesOf(item, `${path}[]`));
    return [`${path} ${value.length === 0 ? 'empty' : 'filled'}`, ...shapes];
  }
  const kind = 'kind' in value ? String(value.kind) : '';
  const inside = path + kind;
  return [inside, ...Object.entries(value).flatMap(([name, member]) => shapesOf(member, `${inside}.${name}`))];
}
