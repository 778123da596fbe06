import fc, { type Arbitrary } from 'fast-check';
import { anyCharacter } from './any-character';

/*
 * Inputs for parsers of what others send: anything, and valid samples with a few mutations. A mutation is three numbers, which fit
 * any sample, so fast-check can shrink a failing input to a sample with one mutation.
 */

/** What is done, where, and how: the numbers are taken modulo what there is. */
type Mutation = readonly [kind: number, at: number, how: number];

const MAX_MUTATIONS = 4;
const mutations = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: MAX_MUTATIONS });

/**
 * Any bytes, and samples of which parts are flipped, overwritten with extreme numbers, cut, repeated, or replaced by the end of another
 * sample.
 */
export function hostileBytes(samples: readonly Buffer[], maxRandomBytes = 300): Arbitrary<Buffer> {
  const sample = fc.constantFrom(...samples);
  return fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: maxRandomBytes }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(sample, sample, mutations)
        .map(([bytes, other, list]) => list.reduce((mutated, each) => mutateBytes(mutated, each, other), bytes)),
    },
  );
}

/** Any text, and samples of which parts are cut, repeated, or replaced by hostile text, extreme numbers or the end of another sample. */
export function hostileText(samples: readonly string[]): Arbitrary<string> {
  const sample = fc.constantFrom(...samples);
  return fc.oneof(
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 100 }) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(sample, sample, mutations)
        .map(([text, other, list]) => list.reduce((mutated, each) => mutateText(mutated, each, other), text)),
    },
  );
}

/**
 * JSON texts: samples of which values are replaced by values of other types, extreme numbers and deep nesting, removed, repeated, or put
 * under another name. Some are mutated as texts, too, so they may be no JSON.
 *
 * @param samples JSON texts. Numbers above 2^53 are rounded.
 */
export function hostileJson(samples: readonly string[]): Arbitrary<string> {
  const mutated = fc
    .tuple(fc.constantFrom(...samples), mutations)
    .map(([json, list]) => list.reduce(mutateJson, { root: JSON.parse(json) as unknown }))
    .map(({ root }) => writeJson(root));
  return fc.oneof(
    { weight: 4, arbitrary: mutated },
    { weight: 1, arbitrary: hostileText(samples) },
    { weight: 1, arbitrary: fc.json() },
  );
}

/** Numbers at the edges of their types, as bits. */
const EXTREMES = [
  ...[0n, 1n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 63n - 1n, 2n ** 53n, 2n ** 53n - 1n, 2n ** 40n],
  ...[2n ** 32n, 2n ** 32n - 1n, 2n ** 31n, 2n ** 31n - 1n, 2n ** 16n - 1n, 2n ** 15n, 255n, 128n, 127n],
];
const SHORT_PART = 40;

function mutateBytes(bytes: Buffer, [kind, at, how]: Mutation, other: Buffer): Buffer {
  const start = at % (bytes.length + 1);
  const end = endOf(start, how, bytes.length);
  const replace = (part: Buffer, from = start, to = from + part.length) =>
    Buffer.concat([bytes.subarray(0, from), part, bytes.subarray(to)]);
  switch (kind % 8) {
    case 0:
      return replace(Buffer.from([(bytes.at(start) ?? 0) ^ (1 << (how % 8))]));
    case 1:
      return replace(Buffer.from([how % 256]));
    case 2:
    case 3:
      return replace(extremeNumber(how));
    case 4:
      return replace(Buffer.alloc(0), start, end);
    case 5:
      return bytes.subarray(0, start);
    case 6:
      return replace(bytes.subarray(start, end), end, end);
    default:
      return Buffer.concat([bytes.subarray(0, start), other.subarray(how % (other.length + 1))]);
  }
}

/** In 1, 2, 4 or 8 bytes, little or big endian. */
function extremeNumber(how: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(EXTREMES[how % EXTREMES.length]);
  const form = Math.floor(how / EXTREMES.length);
  const number = bytes.subarray(0, 1 << (form % 4));
  return form % 8 < 4 ? number : number.reverse();
}

/** The end of a part, which is short in most cases. */
function endOf(start: number, how: number, length: number): number {
  const most = how % 4 === 0 ? length - start : Math.min(length - start, SHORT_PART);
  return start + ((how >> 2) % (most + 1));
}

const HOSTILE_TEXTS = [
  ...[
    '',
    ' ',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '-',
    '%',
    '/',
    '\0',
    '\n',
    '\r\n',
    '\u2028',
    '\ufeff',
    '\ud800',
    '😀',
  ],
  ...['0', '-1', '1.5', '1e400', '4294967296', '9007199254740993', '18446744073709551616', '0x10', 'NaN', 'null'],
];

function mutateText(text: string, [kind, at, how]: Mutation, other: string): string {
  const start = at % (text.length + 1);
  const end = endOf(start, how, text.length);
  switch (kind % 5) {
    case 0:
      return text.slice(0, start) + HOSTILE_TEXTS[how % HOSTILE_TEXTS.length] + text.slice(end);
    case 1:
      return text.slice(0, start) + text.slice(end);
    case 2:
      return text.slice(0, start);
    case 3:
      return text.slice(0, end) + text.slice(start);
    default:
      return text.slice(0, start) + other.slice(how % (other.length + 1));
  }
}

const DEEP = 7_500;

/** JSON texts that replace values. */
const HOSTILE_VALUES = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e21', '1e400', '-1e400', '4294967295', '4294967296'],
  ...['9007199254740991', '9007199254740993', '9223372036854775808', '18446744073709551615', '18446744073709551616'],
  ...['""', '"0"', '"-1"', '"0x10"', '"abc"', '"\\u0000"', '"\\ud800"', '"z"', '[]', '{}', '[null]', '[[]]', '[0]'],
  ...['{"toString":1,"valueOf":1}', '{"__proto__":null}', '{"length":4294967295}', '{"toJSON":0}'],
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `"${'z'.repeat(DEEP)}"`,
];
const HOSTILE_NAMES = ['constructor', 'toString', 'length', '0', ''];

/** Stands for a hostile value until the text is written. */
const mark = (at: number) => `\u0001${at}`;
const MARK = /"\\u0001(\d+)"/g;

function writeJson(root: unknown): string {
  return JSON.stringify(root).replace(MARK, (_, at: string) => HOSTILE_VALUES[Number(at)]);
}

/** A member of an object or an element of an array. */
interface Place {
  holder: Record<string, unknown>;
  name: string;
}

function mutateJson(tree: { root: unknown }, [kind, at, how]: Mutation): { root: unknown } {
  const places = placesIn(tree);
  const { holder, name } = places[at % places.length];
  const other = places[how % places.length];
  switch (kind % 8) {
    case 0:
      if (holder !== tree) remove(holder, name);
      break;
    case 1:
      if (Array.isArray(holder)) holder.push(structuredClone(holder[Number(name)]));
      else holder[HOSTILE_NAMES[how % HOSTILE_NAMES.length]] = structuredClone(holder[name]);
      break;
    case 2:
      holder[name] = structuredClone(other.holder[other.name]);
      break;
    case 3:
      [holder[name], other.holder[other.name]] = structuredClone([other.holder[other.name], holder[name]]);
      break;
    default:
      holder[name] = mark(how % HOSTILE_VALUES.length);
  }
  return tree;
}

function remove(holder: Record<string, unknown>, name: string): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else Reflect.deleteProperty(holder, name);
}

/** All places below a value. */
function placesIn(holder: object): Place[] {
  return Object.entries(holder).flatMap(([name, value]: [string, unknown]) => [
    { holder: holder as Record<string, unknown>, name },
    ...(typeof value === 'object' && value !== null ? placesIn(value) : []),
  ]);
}
