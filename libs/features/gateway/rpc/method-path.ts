/** `http://host` before the path: the absolute form that clients send to a proxy. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * The method that the path of a request target names, null for the root. Ignores further leading slashes, which clients make of a base
 * URL that ends with one, a trailing slash, and the query.
 */
export function methodOfPath(target: string): string | null {
  const [path] = target.replace(AUTHORITY, '').split(/[?#]/, 1);
  const method = path.replace(/^\/+/, '').replace(/\/$/, '');
  return method === '' ? null : method;
}
