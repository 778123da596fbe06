import { type TSchema, Type } from 'typebox';

/** The pattern of all texts in base58. */
export const BASE58_PATTERN = '^[1-9A-HJ-NP-Za-km-z]+$';

/** 32-byte public key in base58. */
export const PubkeyText = Type.String({
  title: 'Pubkey',
  description: 'A public key: base58 of 32 bytes.',
  pattern: BASE58_PATTERN,
  minLength: 32,
  maxLength: 44,
});

/** 32-byte hash in base58. */
export const HashText = Type.String({
  title: 'Hash',
  description: 'A hash: base58 of 32 bytes. As a number it is big-endian.',
  pattern: BASE58_PATTERN,
  minLength: 32,
  maxLength: 44,
});

/** 64-byte transaction signature in base58. */
export const SignatureText = Type.String({
  title: 'Signature',
  description: 'A transaction signature: base58 of 64 bytes.',
  pattern: BASE58_PATTERN,
  minLength: 64,
  maxLength: 88,
});

export const Base64Text = Type.String({
  title: 'Base64String',
  description: 'Bytes in base64, standard alphabet, padded.',
  contentEncoding: 'base64',
});

/** An unsigned 64-bit integer: bigint in code, a JSON number with all digits on the wire. */
export const U64 = Type.Unsafe<bigint>(
  Type.Integer({
    title: 'UnsignedInteger',
    description: 'A JSON number, exact up to 2^64-1. Values above 2^53-1 need a JSON parser that keeps all digits.',
    format: 'uint64',
    minimum: 0,
  }),
);

/** Like `U64`, with a description of its own. */
export function describedU64(description: string) {
  return Type.Unsafe<bigint>(Type.Integer({ description, format: 'uint64', minimum: 0 }));
}

/** An integer below 2^53. */
export const SmallInteger = Type.Integer({ minimum: 0 });

export const SlotNumber = Type.Integer({ description: 'A slot number.', format: 'uint64', minimum: 0 });

/** The value or null. The member itself is always present. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}
