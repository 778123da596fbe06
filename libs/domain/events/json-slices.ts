import { MalformedBlockError } from './block';

/**
 * Slices the elements of an array out of a JSON text, unchanged. `JSON.parse` rounds numbers above 2^53, and the
 * numbers in RPC responses must be exact.
 *
 * @param json a text that `JSON.parse` accepts
 * @param path member names that lead from the root to the array
 * @returns the text of each element; an empty list if there is no such array
 * @throws MalformedBlockError if the text is not valid JSON; not all invalid texts are detected
 */
export function sliceArrayElements(json: string, path: readonly string[]): string[] {
  let at = skipSpace(json, 0);
  for (const name of path) {
    const value = findMember(json, at, name);
    if (value === null) return [];
    at = value;
  }
  if (json[at] !== '[') return [];
  const elements: string[] = [];
  at = skipSpace(json, at + 1);
  while (json[at] !== ']') {
    const end = skipValue(json, at);
    if (end === at) throw malformed(at);
    elements.push(json.slice(at, end));
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
  return elements;
}

/** The offset of a member's value. If a name occurs twice the last one wins, as in `JSON.parse`. */
function findMember(json: string, object: number, name: string): number | null {
  if (json[object] !== '{') return null;
  let found: number | null = null;
  let at = skipSpace(json, object + 1);
  while (json[at] !== '}') {
    if (json[at] !== '"') throw malformed(at);
    const keyEnd = skipString(json, at);
    const colon = skipSpace(json, keyEnd);
    const value = skipSpace(json, colon + 1);
    const end = skipValue(json, value);
    if (json[colon] !== ':' || end === value) throw malformed(colon);
    if (readKey(json, at, keyEnd) === name) found = value;
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
  return found;
}

/** The name of a member, with escapes resolved. */
function readKey(json: string, at: number, end: number): unknown {
  const key = json.slice(at + 1, end - 1);
  return key.includes('\\') ? JSON.parse(json.slice(at, end)) : key;
}

function malformed(at: number): MalformedBlockError {
  return new MalformedBlockError(`invalid JSON at character ${at}`);
}

/** @returns the offset after the value that starts at `at` */
function skipValue(json: string, at: number): number {
  const first = json[at];
  if (first === '"') return skipString(json, at);
  if (first === '{' || first === '[') return skipNested(json, at);
  let end = at;
  while (end < json.length && !',]} \n\r\t'.includes(json[end])) end++;
  return end;
}

const STRUCTURE = /["{}[\]]/g;

function skipNested(json: string, at: number): number {
  let depth = 0;
  STRUCTURE.lastIndex = at;
  for (let match = STRUCTURE.exec(json); match; match = STRUCTURE.exec(json)) {
    const [character] = match;
    if (character === '"') STRUCTURE.lastIndex = skipString(json, match.index);
    else if (character === '{' || character === '[') depth++;
    else if (--depth === 0) return match.index + 1;
  }
  return json.length;
}

/** @returns the offset after the closing quote */
function skipString(json: string, at: number): number {
  let end = at;
  do {
    end = json.indexOf('"', end + 1);
    if (end === -1) return json.length;
  } while (isEscaped(json, end));
  return end + 1;
}

function isEscaped(json: string, quote: number): boolean {
  let backslashes = 0;
  while (json[quote - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function skipSpace(json: string, at: number): number {
  let end = at;
  while (json[end] === ' ' || json[end] === '\n' || json[end] === '\r' || json[end] === '\t') end++;
  return end;
}
