import { type EntityManager } from 'typeorm';

/**
 * Parallel lists. Each index is one reason why a signature is listed for an owner, and for a token owner if there is
 * one.
 */
export interface ListedSignatures {
  owners: Buffer[];
  tokenOwners: (Buffer | null)[];
  slots: string[];
  signatures: Buffer[];
}

/** Statements for a table of signatures by owner. @param column the owner's column in `accounts` */
function signaturesOf(table: string, column: string) {
  const listed = `unnest($1::bytea[], $2::bigint[], $3::bytea[]) AS listed (owner, slot, signature)`;
  const isListed = `s.owner = listed.owner AND s.slot = listed.slot AND s.signature = listed.signature`;
  return {
    deleteUnreferenced: `
      DELETE FROM ${table} s USING ${listed}
      WHERE ${isListed} AND NOT EXISTS (
        SELECT FROM transactions t
        CROSS JOIN LATERAL unnest(t.created || t.consumed) AS part (hash)
        JOIN accounts a ON a.hash = part.hash
        WHERE t.signature = s.signature AND a.${column} = s.owner AND (
          a.slot_created = s.slot AND a.created_signature = s.signature
          OR a.spent_slot = s.slot AND a.spent_signature = s.signature))`,
  };
}

export const OWNER_SIGNATURES = signaturesOf('owner_signatures', 'owner');
export const TOKEN_OWNER_SIGNATURES = signaturesOf('token_owner_signatures', 'token_owner');

/** Deletes listed signatures whose transaction no longer created or consumed an account of the owner. */
export async function deleteUnreferencedSignatures(manager: EntityManager, listed: ListedSignatures): Promise<void> {
  const { owners, tokenOwners, slots, signatures } = listed;
  for (const [{ deleteUnreferenced }, listedOwners] of [
    [OWNER_SIGNATURES, owners],
    [TOKEN_OWNER_SIGNATURES, tokenOwners],
  ] as const) {
    await manager.query(deleteUnreferenced, [listedOwners, slots, signatures]);
  }
}
