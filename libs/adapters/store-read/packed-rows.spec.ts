import { PackedRow, PackedRows, readDigits } from './packed-rows';

const column = (bytes: Buffer | null) => {
  const head = Buffer.alloc(8, 0xee);
  head.writeInt32BE(bytes?.length ?? -1, 4);
  return Buffer.concat([head, bytes ?? Buffer.alloc(0)]);
};
const row = (...columns: (string | null)[]) =>
  Buffer.concat([
    Buffer.of(0, 0, 0, columns.length),
    ...columns.map((hex) => column(hex === null ? null : Buffer.from(hex, 'hex'))),
  ]);
const text = (value: string) => Buffer.from(value).toString('hex');

describe('PackedRows', () => {
  const read = (packed: PackedRow) => [packed.bytes()?.toString('hex'), packed.integer()];
  const rows = new PackedRows(
    Buffer.concat([row('', '00000007'), row(null, 'fffffffffffffffe'), row('abcd', '0005')]),
    read,
  );

  it('reads rows one by one, or at a place', () => {
    expect(Array.from(rows)).toEqual([
      ['', 7],
      [undefined, -2],
      ['abcd', 5],
    ]);
    expect([rows.length, rows.at(0), rows.at(-1), rows.at(3)]).toEqual([3, ['', 7], ['abcd', 5], undefined]);
  });

  it('changes what is read', () => {
    expect(Array.from(rows.map(([, number]) => number))).toEqual([7, -2, 5]);
  });

  it('has no rows in null', () => {
    const none = new PackedRows(null, read);
    expect([none.length, none.at(-1), Array.from(none)]).toEqual([0, undefined, []]);
  });

  it('reads large numbers, and flags', () => {
    const flags = (packed: PackedRow) => [packed.number(), packed.number(), packed.boolean(), packed.boolean()];
    const values = row(text('18446744073709551615'), null, '01', null);
    expect(new PackedRows(values, flags).at(0)).toEqual([18446744073709551615n, null, true, false]);
    const littleEndian = (packed: PackedRow) => [packed.littleEndian(), packed.littleEndian()];
    expect(new PackedRows(row('0100000000000080', null), littleEndian).at(0)).toEqual([2n ** 63n + 1n, null]);
  });

  it('says whether a row has further columns', () => {
    const lengths = (packed: PackedRow) => {
      const columns: unknown[] = [];
      while (packed.hasMore) columns.push(packed.bytes());
      return columns.length;
    };
    expect(Array.from(new PackedRows(Buffer.concat([row('01', null), row(), row('')]), lengths))).toEqual([2, 0, 1]);
    expect(lengths(new PackedRow(row(null)))).toBe(1);
  });

  it('requires integers', () => {
    expect(() => new PackedRows(row(null), (packed) => packed.integer()).at(0)).toThrow(TypeError);
  });
});

describe('readDigits', () => {
  it.each([0n, 9n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n, 10n ** 38n + 1n])(
    'reads %d',
    (number) => {
      const digits = Buffer.from(`7${number}8`);
      expect(readDigits(digits, 1, digits.length - 1)).toBe(number);
    },
  );
});
