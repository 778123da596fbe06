import { type Hash } from '@fresnel/domain/primitives';
import { NEXT_SLOT_ID } from './indexed-slot';
import { type Reader, type Statement } from './reader';
import {
  readSignaturePage,
  selectRecords,
  type SignaturePage,
  signaturePage,
  type SignaturePosition,
  toSignaturePage,
  transactionsOf,
} from './signature-page';

const ACCOUNT_SIGNATURES: Statement = {
  name: 'account-signatures',
  text: selectRecords(`${transactionsOf(`
          SELECT created_by FROM accounts WHERE hash = $1
          UNION
          SELECT spent_by FROM spends WHERE hash = $1`)}
          AND t.id < ${NEXT_SLOT_ID}`),
};

/**
 * Each account of an address is spent before the next one is created, maybe by the same transaction. So the transactions of a
 * page are among the newest that created one and those that consumed what these created. One transaction may create several
 * accounts in a row, so the limit counts transactions and not accounts.
 */
export const ADDRESS_SIGNATURES = signaturePage('address-signatures', (endId) =>
  transactionsOf(`
    WITH bound AS MATERIALIZED (SELECT ${endId} AS id),
    newest AS MATERIALIZED (
      SELECT DISTINCT a.created_by FROM accounts a
      WHERE a.address = $4 AND a.created_by < (SELECT id FROM bound)
      ORDER BY a.created_by DESC LIMIT $3
    )
    SELECT id FROM (
      SELECT created_by AS id FROM newest
      UNION
      SELECT spend.spent_by FROM newest
      JOIN accounts a ON a.address = $4 AND a.created_by = newest.created_by
      JOIN spends spend ON spend.hash = a.hash
      WHERE spend.spent_by < (SELECT id FROM bound)
    ) involved
    ORDER BY id DESC LIMIT $3`),
);

export const LATEST_SIGNATURES = signaturePage(
  'latest-signatures',
  (endId) => `(
          SELECT id, signature, block_time FROM transactions WHERE id < ${endId} ORDER BY id DESC LIMIT $3
        ) t`,
);

/**
 * The transactions that created and consumed an account, newest slot first, then largest signature; none for an unknown hash.
 */
export async function findAccountSignatures(reader: Reader, hash: Hash): Promise<SignaturePage> {
  return toSignaturePage(await reader.query(ACCOUNT_SIGNATURES, [hash]));
}

/** Transactions that created or consumed an account of this address, newest slot first, then largest signature. */
export function findAddressSignatures(
  reader: Reader,
  address: Hash,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return readSignaturePage(reader, ADDRESS_SIGNATURES, limit, after, address);
}

/** All transactions that involve compression, newest slot first, then largest signature. */
export function findLatestSignatures(
  reader: Reader,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return readSignaturePage(reader, LATEST_SIGNATURES, limit, after);
}
