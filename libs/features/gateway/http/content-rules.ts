import { type IncomingHttpHeaders } from 'node:http';

/** What is wrong with the headers of a body, null when nothing is. */
export function findContentFault(headers: IncomingHttpHeaders): string | null {
  if (!isPlain(headers['content-encoding'])) return 'compressed bodies are not read';
  if (!isJsonInUtf8(headers['content-type'])) return 'the content type must be application/json in utf-8';
  return null;
}

function isPlain(encoding = 'identity'): boolean {
  return ['', 'identity'].includes(encoding.trim().toLowerCase());
}

function isJsonInUtf8(contentType = ''): boolean {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return type === 'application/json' && parameters.every(isHarmless);
}

/** Any parameter but a charset other than UTF-8. */
function isHarmless(parameter: string): boolean {
  const [name, value = ''] = parameter.split('=').map((part) => part.trim());
  return name !== 'charset' || value === 'utf-8' || value === '"utf-8"';
}
