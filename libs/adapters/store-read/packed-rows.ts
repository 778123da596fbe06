/**
 * Rows that a statement returns as one value, `string_agg(record_send(ROW(…)), '' ORDER BY …)`. Many values take longer to send, to
 * parse and to collect as garbage than to find, so a row is read when it is iterated over.
 *
 *     row:     number of columns (4 bytes), columns
 *     column:  type (4), length (4; -1: null), bytes
 */
export class PackedRows<Item> implements Iterable<Item> {
  /** Where each row starts. */
  private readonly starts: number[] = [];

  /**
   * @param rows null for none
   * @param read converts a row; it reads the columns in the order of the row
   */
  constructor(
    private readonly rows: Buffer | null,
    private readonly read: (row: PackedRow) => Item,
  ) {
    for (let at = 0; rows && at < rows.length;) {
      this.starts.push(at);
      const columns = rows.readInt32BE(at);
      at += COLUMN_COUNT_BYTES;
      for (let column = 0; column < columns; column++) at = endOfColumn(rows, at);
    }
  }

  get length(): number {
    return this.starts.length;
  }

  /** The row at a place; -1 is the last one. */
  at(place: number): Item | undefined {
    const index = place < 0 ? this.length + place : place;
    return this.rows && index in this.starts ? this.readRow(this.rows, index) : undefined;
  }

  *[Symbol.iterator](): Iterator<Item> {
    if (this.rows) for (let index = 0; index < this.length; index++) yield this.readRow(this.rows, index);
  }

  private readRow(rows: Buffer, index: number): Item {
    return this.read(new PackedRow(rows, this.starts[index], this.starts[index + 1]));
  }

  map<Next>(change: (item: Item) => Next): PackedRows<Next> {
    return new PackedRows(this.rows, (row) => change(this.read(row)));
  }
}

/** A row, whose columns are read in their order. */
export class PackedRow {
  private at: number;

  /** @param start where the row starts in the bytes @param end where it ends */
  constructor(
    private readonly rows: Buffer,
    start = 0,
    private readonly end = rows.length,
  ) {
    this.at = start + COLUMN_COUNT_BYTES;
  }

  /** Whether the row has columns that are not read yet. */
  get hasMore(): boolean {
    return this.at < this.end;
  }

  /** @returns a part of the rows; null for null */
  bytes(): Buffer | null {
    const start = this.at + COLUMN_HEAD_BYTES;
    this.at = endOfColumn(this.rows, this.at);
    return this.rows.readInt32BE(start - LENGTH_BYTES) < 0 ? null : this.rows.subarray(start, this.at);
  }

  /** A column of an integer type that is not null. Only numbers up to 2^53 are exact. */
  integer(): number {
    const start = this.at + COLUMN_HEAD_BYTES;
    this.at = endOfColumn(this.rows, this.at);
    if (this.at === start) throw new TypeError('a number is null');
    let value = this.rows.readInt8(start);
    for (let at = start + 1; at < this.at; at++) value = value * 256 + this.rows[at];
    return value;
  }

  /** Eight bytes that are a little-endian number. */
  littleEndian(): bigint | null {
    const start = this.at + COLUMN_HEAD_BYTES;
    this.at = endOfColumn(this.rows, this.at);
    return this.at === start ? null : this.rows.readBigUInt64LE(start);
  }

  /** A number as `text` that is not negative. */
  number(): bigint | null {
    const start = this.at + COLUMN_HEAD_BYTES;
    this.at = endOfColumn(this.rows, this.at);
    return this.at === start ? null : readDigits(this.rows, start, this.at);
  }

  /** False for null. */
  boolean(): boolean {
    return this.bytes()?.[0] === 1;
  }
}

const COLUMN_COUNT_BYTES = 4;
const LENGTH_BYTES = 4;
const COLUMN_HEAD_BYTES = 4 + LENGTH_BYTES;

const DIGIT_ZERO = 0x30;

/** Reads the digits of a number that is not negative. Nearly all fit into a double, and need no string. */
export function readDigits(bytes: Buffer, start: number, end: number): bigint {
  let number = 0;
  for (let at = start; at < end; at++) number = number * 10 + bytes[at] - DIGIT_ZERO;
  return BigInt(number <= Number.MAX_SAFE_INTEGER ? number : bytes.toString('latin1', start, end));
}

function endOfColumn(rows: Buffer, start: number): number {
  const end = start + COLUMN_HEAD_BYTES;
  return end + Math.max(rows.readInt32BE(end - LENGTH_BYTES), 0);
}
