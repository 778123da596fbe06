import fc from 'fast-check';
import { RecordTable } from './record-table';

const RECORDS_PER_CHUNK = 4;
const bytes = (value: number) => Buffer.from([value, 255 - value, 7]);

function write(table: RecordTable, number: number, value: number): void {
  const { chunk, at } = table.create(number);
  bytes(value).copy(chunk, at);
}

describe('RecordTable', () => {
  it('has the same records as a map, after any changes', () => {
    const number = fc.oneof(fc.nat(20), fc.integer({ min: 2 ** 33, max: 2 ** 33 + 9 }));
    const change = fc.record({ number, value: fc.option(fc.nat(255)) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const table = new RecordTable(3, RECORDS_PER_CHUNK);
        const expected = new Map<number, number>();
        for (const { number, value } of changes) {
          if (value === null) {
            table.delete(number);
            expected.delete(number);
          } else {
            write(table, number, value);
            expected.set(number, value);
          }
        }
        expect(table.size).toBe(expected.size);
        expect([...table.numbers()]).toEqual([...expected.keys()].sort((a, b) => a - b));
        for (const number of changes.flatMap(({ number }) => [number, number + 1])) {
          const value = expected.get(number);
          expect([table.has(number), table.find(number)]).toEqual([
            value !== undefined,
            value === undefined ? undefined : bytes(value),
          ]);
        }
      }),
    );
  });

  it('throws for the place of a record in a chunk without records', () => {
    expect(() => new RecordTable(3, RECORDS_PER_CHUNK).placeOf(9)).toThrow('record 9 does not exist');
  });
});
