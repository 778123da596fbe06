import { type IncomingHttpHeaders } from 'node:http';

/** Why the gateway does not read a body with these headers; null if it does. */
export function findContentProblem(headers: IncomingHttpHeaders): string | null {
  if (!isUncompressed(headers['content-encoding'])) return 'compressed request bodies are not supported';
  if (!isJsonInUtf8(headers['content-type'])) return 'the content type must be application/json in utf-8';
  return null;
}

function isUncompressed(encoding?: string): boolean {
  return encoding === undefined || ['', 'identity'].includes(encoding.trim().toLowerCase());
}

function isJsonInUtf8(contentType = ''): boolean {
  if (contentType === 'application/json') return true;
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return type === 'application/json' && parameters.every(isAcceptedParameter);
}

/** `utf8` is not registered, but widespread. */
const UTF_8 = /^("?)utf-?8\1$/;

/** Accepts any parameter except a charset other than UTF-8. */
function isAcceptedParameter(parameter: string): boolean {
  const [name, value = ''] = parameter.split('=').map((part) => part.trim());
  return name !== 'charset' || UTF_8.test(value);
}
