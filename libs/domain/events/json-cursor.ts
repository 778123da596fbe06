import { MalformedBlockError } from './block';

/**
 * Reads a JSON text member by member, without building values that are not needed. The texts of values are slices
 * of the whole text, unchanged: `JSON.parse` rounds numbers above 2^53, and the numbers in RPC responses must be exact.
 *
 * A text that is truncated is always rejected. Other invalid texts may be accepted if they are inside of a skipped value.
 */
export class JsonCursor {
  /** The offset of the value that is read next. */
  private at: number;

  /** @param json a text with one value */
  constructor(private readonly json: string) {
    this.at = skipSpace(json, 0);
  }

  /**
   * Visits the members of an object in the order of the text.
   *
   * @param visit reads the value of the member, with exactly one of the other methods
   * @returns false, and reads nothing, if the value is not an object
   * @throws MalformedBlockError if the text is not valid JSON
   */
  visitMembers(visit: (name: string) => void): boolean {
    return this.visit('{', '}', () => {
      visit(this.readName());
    });
  }

  /** Visits the elements of an array. See `visitMembers`. */
  visitElements(visit: () => void): boolean {
    return this.visit('[', ']', visit);
  }

  /** Returns the text of the value. @throws MalformedBlockError if the text ends before the value does */
  readText(): string {
    const start = this.at;
    this.skip();
    return this.json.slice(start, this.at);
  }

  /** Returns the value, as `JSON.parse` does. @throws MalformedBlockError if it is not valid JSON */
  readValue(): unknown {
    const start = this.at;
    const text = this.readText();
    try {
      return JSON.parse(text);
    } catch {
      throw malformed(start);
    }
  }

  /** Reads the value if it is null. @returns whether it was */
  skipNull(): boolean {
    const isNull = this.json.startsWith('null', this.at);
    if (isNull) this.skip();
    return isNull;
  }

  skip(): void {
    const end = skipValue(this.json, this.at);
    if (end === this.at) throw malformed(this.at);
    this.at = end;
  }

  /** @throws MalformedBlockError if something follows the value that was read */
  end(): void {
    this.at = skipSpace(this.json, this.at);
    if (this.at < this.json.length) throw malformed(this.at);
  }

  private visit(open: string, close: string, visitOne: () => void): boolean {
    if (this.json[this.at] !== open) return false;
    this.at = skipSpace(this.json, this.at + 1);
    let isFirst = true;
    while (isFirst ? this.json[this.at] !== close : !this.isAfterLast(close)) {
      isFirst = false;
      visitOne();
      this.at = skipSpace(this.json, this.at);
    }
    this.at++;
    return true;
  }

  /** Reads a comma, or stops before the closing bracket. */
  private isAfterLast(close: string): boolean {
    if (this.json[this.at] === close) return true;
    if (this.json[this.at] !== ',') throw malformed(this.at);
    this.at = skipSpace(this.json, this.at + 1);
    return false;
  }

  /** Reads a name and the colon. */
  private readName(): string {
    if (this.json[this.at] !== '"') throw malformed(this.at);
    const name = this.readValue();
    this.at = skipSpace(this.json, this.at);
    if (this.json[this.at] !== ':' || typeof name !== 'string') throw malformed(this.at);
    this.at = skipSpace(this.json, this.at + 1);
    return name;
  }
}

function malformed(at: number): MalformedBlockError {
  return new MalformedBlockError(`invalid JSON at character ${at}`);
}

const QUOTE = 0x22;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** @returns the offset after the value that starts at `at` */
function skipValue(json: string, at: number): number {
  const first = json[at];
  if (first === '"') return skipString(json, at);
  if (first === '{' || first === '[') return skipNested(json, at);
  let end = at;
  while (end < json.length && !',]} \n\r\t'.includes(json[end])) end++;
  return end;
}

/** Most of a block is skipped here. Character codes and `indexOf` are several times as fast as a regular expression. */
function skipNested(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) {
      at = skipString(json, at) - 1;
    } else if (character < OPENING_BRACKET) {
      continue; // digits and commas
    } else if (character === OPENING_BRACE || character === OPENING_BRACKET) {
      depth++;
    } else if ((character === CLOSING_BRACE || character === CLOSING_BRACKET) && --depth === 0) {
      return at + 1;
    }
  }
  throw malformed(json.length);
}

/** @returns the offset after the closing quote */
function skipString(json: string, at: number): number {
  let end = at;
  do {
    end = json.indexOf('"', end + 1);
    if (end === -1) throw malformed(json.length);
  } while (isEscaped(json, end));
  return end + 1;
}

function isEscaped(json: string, quote: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function skipSpace(json: string, at: number): number {
  let end = at;
  while (json[end] === ' ' || json[end] === '\n' || json[end] === '\r' || json[end] === '\t') end++;
  return end;
}
