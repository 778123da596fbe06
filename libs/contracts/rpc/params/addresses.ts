import { be32, type Hash, toBase58 } from '@fresnel/domain/primitives';
import { MAX_ADDRESSES } from '../schemas/new-address-proof';
import { readHash } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { type ReadValue } from './members';

/** The largest element of every address tree. Derived addresses are smaller: their first byte is zero. */
const ADDRESS_BOUND = be32(2n ** 248n - 1n);

/** Reads an array of 1 to `MAX_ADDRESSES` values. @param what the values, in error messages */
export function readAddressList<Value>(params: unknown, what: string, read: ReadValue<Value>): Value[] {
  if (!Array.isArray(params)) throw new InvalidParamsError(`params must be an array of ${what}`);
  if (params.length === 0 || params.length > MAX_ADDRESSES) {
    throw new InvalidParamsError(`params must contain 1 to ${MAX_ADDRESSES} ${what}, not ${params.length}`);
  }
  return params.map((value, index) => read(value, `params[${index}]`));
}

/** Reads an address that a tree can contain. */
export const readNewAddress: ReadValue<Hash> = (value, field) => {
  const address = readHash(value, field);
  if (address.compare(ADDRESS_BOUND) >= 0) {
    throw new InvalidParamsError(`address ${toBase58(address)} is out of range (derived addresses are below 2^248-1)`);
  }
  return address;
};
