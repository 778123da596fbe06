import { MalformedBlockError } from './block';

/**
 * The texts of the elements of an array inside a JSON document, digit for digit. `JSON.parse` rounds numbers above 2^53,
 * and what is passed on to callers must not be rounded.
 *
 * @param json a document that `JSON.parse` accepts
 * @param path member names that lead from the top to the array
 * @returns nothing when there is no such array
 * @throws MalformedBlockError where a document that `JSON.parse` refuses leads nowhere
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

/** Where the value of an object's member begins; the last one counts, as it does for `JSON.parse`. */
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

/** A member's name, whichever way it is spelled. */
function readKey(json: string, at: number, end: number): unknown {
  const key = json.slice(at + 1, end - 1);
  return key.includes('\\') ? JSON.parse(json.slice(at, end)) : key;
}

function malformed(at: number): MalformedBlockError {
  return new MalformedBlockError(`the JSON text breaks off or makes no sense at character ${at}`);
}

/** @returns the offset behind the value that begins at `at` */
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

/** @returns the offset behind the closing quote */
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
