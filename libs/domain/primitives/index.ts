export { BorshReader } from './borsh-reader';
export {
  type Brand,
  HASH_BYTES,
  type Hash,
  isZero,
  keyOf,
  parseHash,
  parsePubkey,
  parseSignature,
  PUBKEY_BYTES,
  type Pubkey,
  SIGNATURE_BYTES,
  type Signature,
  type Slot,
  toBase58,
  toHash,
  toPubkey,
  toSignature,
  toSlot,
  ZERO_HASH,
  ZERO_PUBKEY,
} from './brands';
export { readCompactU16 } from './compact-u16';
export { decodeBase58 } from './decode-base58';
export { encodeBase58 } from './encode-base58';
export { FresnelError, MalformedBytesError, MalformedTextError, messageOf } from './errors';
export {
  type BatchHasher,
  type Hasher,
  hashInSeries,
  type HashSeries,
  type SeriesHasher,
  type TreeHasher,
} from './hasher';
export { asFields, asInteger, asList, asNumber, asSlot, asSlots, asText, asU32 } from './json-values';
export { ownBytes } from './own-bytes';
export { be32, MAX_U64, u64ToLittleEndian } from './u64';
