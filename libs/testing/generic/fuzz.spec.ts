import { fuzz, fuzzAsync } from './fuzz';
import { hostileBytes, hostileJson, hostileText } from './hostile-input';

class WrongFormatError extends Error {}

/** A list of bytes after its length, a little-endian u32. @throws WrongFormatError if the bytes end before */
function readList(bytes: Buffer): Buffer {
  if (bytes.length < 4) throw new WrongFormatError();
  const length = bytes.readUInt32LE();
  if (bytes.length < 4 + length) throw new WrongFormatError();
  return bytes.subarray(4, 4 + length);
}

const LIST = Buffer.from('0300000007', 'hex');
const LISTS = hostileBytes([Buffer.concat([LIST, LIST]), LIST]);
const throws = [WrongFormatError];

const causeOf = (message: string): unknown => expect.objectContaining({ message: expect.stringContaining(message) });

describe('fuzz', () => {
  it('accepts a parser that gives values, throws errors that it documents, and allocates what it reads', async () => {
    fuzz(LISTS, readList, { throws });
    await fuzzAsync(LISTS, (bytes) => Promise.resolve(bytes).then(readList), { throws });
  });

  it('refuses other errors, also of promises', async () => {
    expect(() => {
      fuzz(LISTS, readList);
    }).toThrow('Property failed');
    expect(() => {
      fuzz(LISTS, (bytes) => bytes.readUInt32LE(), { throws });
    }).toThrow('Property failed');
    await expect(fuzzAsync(LISTS, (bytes) => Promise.resolve(bytes).then(readList))).rejects.toThrow('Property failed');
  });

  it('refuses a parser that allocates what a length asks for', () => {
    const allocate = (bytes: Buffer) => Buffer.alloc(Math.min(readLength(bytes), 2 ** 28));
    const readLength = (bytes: Buffer) => (bytes.length < 4 ? 0 : bytes.readUInt32LE());
    expect(() => {
      fuzz(LISTS, allocate);
    }).toThrow(expect.objectContaining({ cause: causeOf('bytes of memory') }));
  });

  it('starts with known inputs', () => {
    const given: Buffer[] = [];
    fuzz(LISTS, (bytes) => given.push(bytes), { known: [Buffer.from('known')] });
    expect(given[0]).toEqual(Buffer.from('known'));
  });
});

describe('hostile JSON', () => {
  it('is JSON most of the time, and differs from the sample in types, numbers, names and depth', () => {
    const texts: string[] = [];
    const sample = '{"slot":5,"hash":"abc","list":[1,{"a":null}]}';
    fuzz(hostileJson([sample]), (text) => texts.push(text));
    const isJson = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const valid = texts.filter(isJson);
    expect(valid.length / texts.length).toBeGreaterThan(0.6);
    expect(valid.length).toBeLessThan(texts.length);
    for (const part of [
      sample,
      '"slot":1.5',
      '"slot":null',
      '18446744073709551616',
      '"list":{}',
      '[[[[[[',
      '"hash":5',
    ]) {
      expect(valid.some((text) => text.includes(part))).toBe(true);
    }
  });
});

describe('hostile text', () => {
  it('is the sample, parts of it, or has other characters', () => {
    const texts: string[] = [];
    fuzz(hostileText(['10.0.0.0/8']), (text) => texts.push(text));
    for (const part of ['10.0.0.0/8', '\0', '😀', '18446744073709551616']) {
      expect(texts.some((text) => text.includes(part))).toBe(true);
    }
    expect(texts.some((text) => text.length < 5)).toBe(true);
  });
});
