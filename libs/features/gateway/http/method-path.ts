/** `http://host` in front of the path, as a client sends it to a proxy. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The method that a request target names, null for the root. A slash at the end and a query do not matter. */
export function methodOfPath(target: string): string | null {
  const [path] = target.replace(AUTHORITY, '').split(/[?#]/, 1);
  const method = path.replace(/^\//, '').replace(/\/$/, '');
  return method === '' ? null : method;
}
