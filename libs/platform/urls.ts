/** An HTTP endpoint as a client takes it: the login of its URL is a header, which `fetch` and the trace SDK require. */
export interface Endpoint {
  url: string;
  headers: { authorization?: string };
}

/**
 * The endpoint of an HTTP URL that the configuration gives. Path and query are kept.
 *
 * @param path is added to the URL's own path, without a slash at its start
 */
export function toEndpoint(text: string, path = ''): Endpoint {
  const url = new URL(text);
  const credentials = basicCredentials(url);
  url.username = url.password = '';
  if (path !== '') url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return { url: url.href, headers: credentials === null ? {} : { authorization: `Basic ${credentials}` } };
}

/**
 * Splits the URL of an HTTP service that is not the default one, as in `sqd+https://portal.example`.
 *
 * @returns the service, null if the URL names none, and the URL to call
 */
export function splitService(text: string): { service: string | null; url: string } {
  const [prefix, service] = /^([a-z]+)\+(?=(?:https?|file):)/.exec(text) ?? ['', null];
  return { service, url: text.slice(prefix.length) };
}

/** The login of a URL in the form of the header `authorization`; null without one. */
export function basicCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  return Buffer.from(`${decodePart(username)}:${decodePart(password)}`).toString('base64');
}

/** Decodes a part of a URL. A percent sign that encodes nothing stays. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Parses a URL. That of Postgres may have a login and no host, as in `postgres://user:password@/database?host=/run/postgresql`: a
 * Unix socket, or the host that the driver assumes.
 *
 * @returns null if the text is no URL
 */
export function parseUrl(text: string): URL | null {
  if (URL.canParse(text)) return new URL(text);
  const withHost = text.replace('@/', '@localhost/');
  return /^postgres(ql)?:/.test(text) && URL.canParse(withHost) ? new URL(withHost) : null;
}
