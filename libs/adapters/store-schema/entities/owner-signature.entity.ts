import { EntitySchema } from 'typeorm';
import { column, key } from './columns';

/** A transaction that created or consumed an account of an owner. */
export interface OwnerSignatureRow {
  owner: Buffer;
  slot: string;
  signature: Buffer;
  /** Unix seconds. */
  blockTime: string;
}

function ownerSignatures(name: string, tableName: string): EntitySchema<OwnerSignatureRow> {
  return new EntitySchema<OwnerSignatureRow>({
    name,
    tableName,
    columns: {
      owner: key(column('bytea'), tableName),
      slot: key(column('bigint'), tableName),
      signature: key(column('bytea'), tableName),
      blockTime: column('bigint', 'block_time'),
    },
  });
}

/** By the program or wallet that owns the account. */
export const OwnerSignatureEntity = ownerSignatures('OwnerSignature', 'owner_signatures');

/** By the owner inside a token account. */
export const TokenOwnerSignatureEntity = ownerSignatures('TokenOwnerSignature', 'token_owner_signatures');
