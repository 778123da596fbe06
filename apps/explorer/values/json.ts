/** Line feeds are our own. All other control and format characters, also those that change the direction of text. */
const INVISIBLE = /[^\P{C}\n]|[\u2028\u2029]/gu;

/** Writes a value as JSON of several lines, with all digits of bigints, and with escapes for what is invisible. */
export function formatJson(value: unknown): string {
  return write(value, '\n').replace(INVISIBLE, escape);
}

function write(value: unknown, newLine: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${newLine}  `;
  const items = Array.isArray(value)
    ? value.map((item) => write(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${write(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return items.length === 0 ? open + close : `${open}${inner}${items.join(`,${inner}`)}${newLine}${close}`;
}

function escape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
