import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { encodeBase58 } from './base58';
import { formatRecords, formatWithTexts, maxTextBytes, RECORD_FIELDS, writeRecords } from './record-text';

const { key, signature, integer, digits, reference } = RECORD_FIELDS;
const writers = [
  { name: 'texts', format: formatWithTexts },
  ...(formatRecords === formatWithTexts ? [] : [{ name: 'machine code', format: formatRecords }]),
  {
    name: 'encoded text',
    format: (...[records, template, ...shared]: Parameters<typeof formatRecords>) => {
      const digits = template.includes(RECORD_FIELDS.digits) ? records.length : 0;
      const output = Buffer.alloc(digits + maxTextBytes(records.length, template));
      return output.toString('latin1', 0, writeRecords(output, records, template, ...shared));
    },
  },
];
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const bytesOf = (value: bigint) => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(value);
  return buffer;
};

it('uses machine code where it is compiled', () => {
  expect(formatRecords !== formatWithTexts).toBe(existsSync(join(__dirname, 'native-base58.node')));
});

describe.each(writers)('formatting records with $name', ({ format }) => {
  it('writes keys, signatures and integers in the order of the template', () => {
    const template = `<${key}|${signature}|${integer}|${integer}>`;
    fc.assert(
      fc.property(fc.array(fc.tuple(bytes(32), bytes(64), int64, int64)), (rows) => {
        const records = rows.map(([a, b, c, d]) => Buffer.concat([a, b, bytesOf(c), bytesOf(d)]));
        const texts = rows.map(([a, b, c, d]) => `<${encodeBase58(a)}|${encodeBase58(b)}|${c}|${d}>`);
        expect(format(Buffer.concat(records), template)).toBe(texts.join(','));
      }),
    );
  });

  it('writes digits of any length, with a byte 0 between records', () => {
    const rows = fc.array(fc.tuple(bytes(32), fc.bigInt({ min: 0n, max: 10n ** 60n })), { minLength: 1 });
    fc.assert(
      fc.property(rows, (holders) => {
        const records = holders.map(([owner, balance]) => Buffer.concat([owner, Buffer.from(`${balance}`)]));
        const separated = records.flatMap((record, at) => (at === 0 ? [record] : [Buffer.alloc(1), record]));
        const texts = holders.map(([owner, balance]) => `{"${encodeBase58(owner)}":${balance}}`);
        expect(format(Buffer.concat(separated), `{"${key}":${digits}}`)).toBe(texts.join(','));
      }),
    );
  });

  it('writes shared keys by their references, as if each record had its own', () => {
    const keys = fc.array(bytes(32), { minLength: 1, maxLength: 20 });
    const rows = fc.array(fc.tuple(int64, fc.nat(), fc.nat()), { maxLength: 30 });
    fc.assert(
      fc.property(keys, rows, (keys, rows) => {
        const used = rows.map(([number, ...places]) => ({ number, places: places.map((at) => at % keys.length) }));
        const texts = used.map(
          ({ number, places }) => `${number}:${places.map((at) => encodeBase58(keys[at])).join('/')}`,
        );
        const records = Buffer.concat(used.map(({ number }) => bytesOf(number)));
        const references = Uint32Array.from(used.flatMap(({ places }) => places));
        const template = `${integer}:${reference}/${reference}`;
        expect(format(records, template, Buffer.concat(keys), references)).toBe(texts.join(','));
      }),
    );
  });

  it.each([
    ['no references', undefined, undefined],
    ['too few references', Buffer.alloc(32), Uint32Array.of()],
    ['a reference to no key', Buffer.alloc(32), Uint32Array.of(1)],
  ])('rejects a template with a reference and %s', (_, ...shared) => {
    const records = [bytesOf(1n), integer + reference, ...shared.filter((each) => each !== undefined)] as const;
    expect(() => format(...(records as Parameters<typeof format>))).toThrow(
      'the records do not have the fields of the template',
    );
  });

  it.each([0n, 9n, 10n, -1n, 2n ** 63n - 1n, -(2n ** 63n)])('writes the integer %d', (value) => {
    expect(format(bytesOf(value), integer)).toBe(`${value}`);
  });

  it('writes nothing for no records', () => {
    expect(format(Buffer.alloc(0), `{${key}}`)).toBe('');
  });

  it.each([
    ['a key', Buffer.alloc(31), key],
    ['a signature', Buffer.alloc(64 + 63), signature],
    ['an integer', Buffer.alloc(32 + 7), key + integer],
  ])('rejects records that end within %s', (_, records, template) => {
    expect(() => format(records, template)).toThrow('the records do not have the fields of the template');
  });
});
