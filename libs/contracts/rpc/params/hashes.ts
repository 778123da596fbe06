import { type Hash } from '@fresnel/domain/primitives';
import { MAX_HASHES } from '../schemas/account-proof';
import { readHash } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { type ReadValue } from './members';

/** Reads an array of at most `MAX_HASHES` hashes. */
export const readHashList: ReadValue<Hash[]> = (value, field) => {
  if (!Array.isArray(value)) throw new InvalidParamsError(`${field} must be an array of hashes`);
  if (value.length > MAX_HASHES) {
    throw new InvalidParamsError(`${field} must contain at most ${MAX_HASHES} hashes, not ${value.length}`);
  }
  return value.map((item, index) => readHash(item, `${field}[${index}]`));
};
