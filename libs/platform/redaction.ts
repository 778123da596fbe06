import { basicCredentials, decodePart, parseUrl, splitService } from './urls';

/** Shorter parts of a URL are words such as a network name, and shorter passwords protect nothing. */
const MIN_PART_LENGTH = 8;
const MIN_PASSWORD_LENGTH = 4;
const REPLACEMENT = '[redacted]';

const secrets = new Set<string>();
let pattern: RegExp | null = null;

/** Removes a secret from everything that this process logs from now on. @param value of a secret setting; may contain URLs */
export function registerSecret(value: string): void {
  for (const part of secretPartsOf(value)) {
    for (const written of [part, encodeURIComponent(part), JSON.stringify(part).slice(1, -1)]) secrets.add(written);
  }
  if (secrets.size === 0) return;
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'g');
}

/** The text without the registered secrets. */
export function redact(text: string): string {
  return pattern ? text.replace(pattern, REPLACEMENT) : text;
}

/** The passwords and API keys of URLs; any other value as a whole. */
function secretPartsOf(value: string): string[] {
  const urls = value.split(',').map((text) => parseUrl(splitService(text.trim()).url));
  const parts = urls.every((url) => url === null) ? [value] : urls.flatMap((url) => (url ? credentialsOf(url) : []));
  return parts.filter((part) => part.length >= MIN_PASSWORD_LENGTH);
}

function credentialsOf(url: URL): string[] {
  const passwords = [url.password, decodePart(url.password), url.searchParams.get('password') ?? ''];
  if (!/^(http|ws)s?:$/.test(url.protocol)) return passwords;
  // A user name alone is a key.
  if (url.password === '') passwords.push(url.username, decodePart(url.username));
  const keys = [...url.pathname.split('/'), ...url.searchParams.values()];
  passwords.push(basicCredentials(url) ?? '');
  return [...passwords, ...keys.filter((key) => key.length >= MIN_PART_LENGTH)];
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
