import {
  decodeBase58,
  type Hash,
  MalformedTextError,
  parseHash,
  parsePubkey,
  parseSignature,
  type Pubkey,
  type Signature,
} from '@fresnel/domain/primitives';
import { InvalidParamsError } from './invalid-params.error';
import { type ReadValue } from './members';

export const readPubkey: ReadValue<Pubkey> = base58Value(parsePubkey, 'a public key (base58 of 32 bytes)');
export const readHash: ReadValue<Hash> = base58Value(parseHash, 'a hash (base58 of 32 bytes)');
export const readSignature: ReadValue<Signature> = base58Value(parseSignature, 'a signature (base58 of 64 bytes)');

/** Reads base58 of exactly `length` bytes. @param what the value, in error messages */
export function readBytes(length: number, what: string): ReadValue<Buffer> {
  return base58Value((text) => decodeBase58(text, length), what);
}

function base58Value<Value>(parse: (text: string) => Value, what: string): ReadValue<Value> {
  return (value, field) => {
    if (typeof value !== 'string') throw new InvalidParamsError(`${field} must be ${what}`);
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof MalformedTextError) throw new InvalidParamsError(`${field} must be ${what}`);
      throw error;
    }
  };
}
