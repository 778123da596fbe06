/** What an element of each type is made of. */
interface Elements {
  boolean: boolean;
  bytea: Buffer;
  integer: number;
  bigint: bigint | number;
  /** Integers only. */
  numeric: bigint | number;
}

export type ElementType = keyof Elements;
export type ElementOf<Type extends ElementType> = Elements[Type];

/** Object identifiers of the types (pg_type.dat in the source of Postgres). */
const TYPE_IDS: Record<ElementType, number> = { boolean: 16, bytea: 17, integer: 23, bigint: 20, numeric: 1700 };

const FIRST_BYTES = 4_096;
const NULL_LENGTH = -1;
/** A `numeric` is sent as digits of four decimal places each (numeric_recv). */
const NUMERIC_BASE = 10_000n;
const NUMERIC_NEGATIVE = 0x4000;

/**
 * Encodes an array as a parameter in the binary format of Postgres (array_recv in its source). The driver makes text of a
 * JavaScript array, with two characters for each byte: that takes several times as long, here and in the server.
 *
 * @param type type of the elements; the statement must cast the parameter to an array of this type
 * @param valueOf the element of an item; null becomes NULL
 * @throws RangeError for a number that the type cannot hold
 */
export function arrayParameter<Type extends ElementType, Item>(
  type: Type,
  items: readonly Item[],
  valueOf: (item: Item) => ElementOf<Type> | null,
): Buffer {
  const writer = new ArrayWriter();
  const dimensions = items.length === 0 ? 0 : 1;
  writer.int32(dimensions);
  writer.int32(1); // there may be nulls
  writer.int32(TYPE_IDS[type]);
  if (dimensions === 0) return writer.finish();
  writer.int32(items.length);
  writer.int32(1); // index of the first element
  const write: (writer: ArrayWriter, value: ElementOf<Type>) => void = WRITERS[type];
  for (const item of items) {
    const value = valueOf(item);
    if (value === null) writer.int32(NULL_LENGTH);
    else write(writer, value);
  }
  return writer.finish();
}

/** Writes an element: its length in bytes, then its value. */
const WRITERS: { [Type in ElementType]: (writer: ArrayWriter, value: Elements[Type]) => void } = {
  boolean: (writer, value) => {
    writer.int32(1);
    writer.int8(value ? 1 : 0);
  },
  bytea: (writer, value) => {
    writer.int32(value.length);
    writer.bytes(value);
  },
  integer: (writer, value) => {
    writer.int32(4);
    writer.int32(value);
  },
  bigint: (writer, value) => {
    writer.int32(8);
    writer.int64(BigInt(value));
  },
  numeric: (writer, value) => {
    const digits = numericDigits(BigInt(value));
    writer.int32(8 + 2 * digits.length);
    writer.int16(digits.length);
    writer.int16(digits.length - 1); // power of the base of the first digit
    writer.int16(value < 0 ? NUMERIC_NEGATIVE : 0);
    writer.int16(0); // decimal places behind the point
    for (const digit of digits) writer.int16(digit);
  },
};

/** Digits of the absolute value, the highest first; none for zero. */
function numericDigits(value: bigint): number[] {
  const digits: number[] = [];
  for (let rest = value < 0n ? -value : value; rest > 0n; rest /= NUMERIC_BASE)
    digits.push(Number(rest % NUMERIC_BASE));
  return digits.reverse();
}

/** Appends big-endian values to a buffer that grows. */
class ArrayWriter {
  private buffer = Buffer.allocUnsafe(FIRST_BYTES);
  private length = 0;

  int8(value: number): void {
    const at = this.reserve(1);
    this.buffer.writeInt8(value, at);
  }

  int16(value: number): void {
    const at = this.reserve(2);
    this.buffer.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.reserve(4);
    this.buffer.writeInt32BE(value, at);
  }

  int64(value: bigint): void {
    const at = this.reserve(8);
    this.buffer.writeBigInt64BE(value, at);
  }

  bytes(value: Buffer): void {
    const at = this.reserve(value.length);
    value.copy(this.buffer, at);
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(bytes: number): number {
    const at = this.length;
    this.length += bytes;
    if (this.length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.length));
      this.buffer.copy(larger, 0, 0, at);
      this.buffer = larger;
    }
    return at;
  }
}
