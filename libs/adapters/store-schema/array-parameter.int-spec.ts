import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { arrayParameter, type ElementOf, type ElementType } from './array-parameter';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Sends values as an array in the binary format, and gets the text of each element. */
async function send(type: ElementType, parameter: Buffer): Promise<(string | null)[]> {
  const [{ elements }] = await database.dataSource.query<{ elements: (string | null)[] }[]>(
    `SELECT ARRAY(SELECT element::text FROM unnest($1::${type}[]) AS list (element)) AS elements`,
    [parameter],
  );
  return elements;
}

function encode(type: ElementType, values: readonly (ElementOf<ElementType> | null)[]): Buffer {
  return arrayParameter(type, values, (value) => value);
}

describe('arrayParameter', () => {
  it.each<[ElementType, ElementOf<ElementType>[]]>([
    ['boolean', [true, false]],
    ['integer', [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]],
    ['bigint', [0, 1, -1, Number.MAX_SAFE_INTEGER, 2n ** 63n - 1n, -(2n ** 63n)]],
    [
      'numeric',
      [0, 1, -1, 9_999, 10_000, 10_001, 100_000_000, 120_000n, 2n ** 64n - 1n, -(10n ** 30n), 10n ** 38n + 7n],
    ],
  ])('sends %s elements, and nulls', async (type, values) => {
    const expected = values.map((value) => String(value));
    await expect(send(type, encode(type, [...values, null]))).resolves.toEqual([...expected, null]);
  });

  it('sends byte strings, also empty and long ones', async () => {
    const values = [Buffer.alloc(0), Buffer.from('00ff5c2c22', 'hex'), Buffer.alloc(100_000, 7), null];
    const expected = values.map((value) => value && `\\x${value.toString('hex')}`);
    await expect(send('bytea', encode('bytea', values))).resolves.toEqual(expected);
  });

  it('sends an empty array', async () => {
    await expect(send('bytea', encode('bytea', []))).resolves.toEqual([]);
  });

  it('refuses numbers that are not in the range of their type', () => {
    expect(() => encode('integer', [2 ** 31])).toThrow('out of range');
    expect(() => encode('bigint', [2n ** 63n])).toThrow('out of range');
    expect(() => encode('bigint', [0.5])).toThrow('cannot be converted to a BigInt');
  });
});
