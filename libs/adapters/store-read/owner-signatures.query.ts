import { type Pubkey } from '@fresnel/domain/primitives';
import { type Reader, type Statement } from './reader';
import {
  readSignaturePage,
  type SignaturePage,
  signaturePage,
  type SignaturePosition,
  transactionsOf,
} from './signature-page';

function signaturesOf(name: string, table: string): Statement {
  return signaturePage(name, (endId) =>
    transactionsOf(`
          SELECT o.transaction_id FROM ${table} o
          WHERE o.owner_digest = key_digest($4) AND o.transaction_id < ${endId}
          ORDER BY o.transaction_id DESC LIMIT $3`),
  );
}

export const OWNER_SIGNATURES = signaturesOf('owner-signatures', 'owner_signatures');
export const TOKEN_OWNER_SIGNATURES = signaturesOf('token-owner-signatures', 'token_owner_signatures');

/** Transactions that created or consumed an account of this owner, newest slot first, then largest signature. */
export function findOwnerSignatures(
  reader: Reader,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return readSignaturePage(reader, OWNER_SIGNATURES, limit, after, owner);
}

/** The same for the owner inside token accounts. */
export function findTokenOwnerSignatures(
  reader: Reader,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return readSignaturePage(reader, TOKEN_OWNER_SIGNATURES, limit, after, owner);
}
