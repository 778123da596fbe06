import { decodeBase58, MalformedTextError } from '@fresnel/domain/primitives';
import { FILTER_ENCODINGS, MAX_FILTER_BYTES, MAX_FILTERS } from '../schemas/data-filters';
import { InvalidParamsError } from './invalid-params.error';
import { readMembers, type ReadValue, required } from './members';

/** Accounts whose data, without the discriminator, have these bytes at this offset. */
export interface DataFilter {
  offset: number;
  bytes: Buffer;
}

/** A part of the data of accounts. */
export interface DataSlice {
  offset: number;
  length: number;
}

/** Base58 has less than 1.37 digits for each byte, and base64 four for three. */
const MAX_FILTER_DIGITS = Math.ceil(MAX_FILTER_BYTES * 1.37);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAX_U64 = 2 ** 64;

export const readFilters: ReadValue<DataFilter[]> = (value, field) => {
  if (!Array.isArray(value)) throw new InvalidParamsError(`${field} must be an array`);
  if (value.length > MAX_FILTERS) {
    throw new InvalidParamsError(`${field} must contain at most ${MAX_FILTERS} items, not ${value.length}`);
  }
  return value.map((filter, index) => readFilter(filter, `${field}[${index}]`));
};

export const readDataSlice: ReadValue<DataSlice> = (value, field) => {
  const members = readMembers(value, field, ['offset', 'length']);
  return {
    offset: required(members, 'offset', readUnsigned, `${field}.offset`),
    length: required(members, 'length', readUnsigned, `${field}.length`),
  };
};

const readFilter: ReadValue<DataFilter> = (value, field) =>
  required(readMembers(value, field, ['memcmp']), 'memcmp', readMemcmp, `${field}.memcmp`);

const readMemcmp: ReadValue<DataFilter> = (value, field) => {
  const members = readMembers(value, field, ['offset', 'bytes', 'encoding']);
  const encoding = members.get('encoding') ?? 'base58';
  if (!isFilterEncoding(encoding)) {
    throw new InvalidParamsError(`${field}.encoding must be ${FILTER_ENCODINGS.join(' or ')}`);
  }
  return {
    offset: required(members, 'offset', readUnsigned, `${field}.offset`),
    bytes: required(members, 'bytes', FILTER_BYTES[encoding], `${field}.bytes`),
  };
};

function isFilterEncoding(value: unknown): value is (typeof FILTER_ENCODINGS)[number] {
  return FILTER_ENCODINGS.some((encoding) => encoding === value);
}

/** Offsets beyond 2^53 are rounded, which changes no answer: they are behind the data of every account. */
const readUnsigned: ReadValue<number> = (value, field) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_U64) {
    throw new InvalidParamsError(`${field} must be an unsigned 64-bit integer`);
  }
  return value;
};

function filterBytes(encoding: string, decode: (text: string) => Buffer | null): ReadValue<Buffer> {
  return (value, field) => {
    const bytes = typeof value === 'string' && value.length <= MAX_FILTER_DIGITS ? decode(value) : null;
    if (bytes && bytes.length <= MAX_FILTER_BYTES) return bytes;
    throw new InvalidParamsError(`${field} must be ${encoding} of at most ${MAX_FILTER_BYTES} bytes`);
  };
}

const FILTER_BYTES = {
  base58: filterBytes('base58', (text) => {
    try {
      return decodeBase58(text);
    } catch (error) {
      if (error instanceof MalformedTextError) return null;
      throw error;
    }
  }),
  base64: filterBytes('base64', (text) => (BASE64.test(text) ? Buffer.from(text, 'base64') : null)),
};
