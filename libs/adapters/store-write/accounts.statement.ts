import { ACCOUNT_COLUMNS, type AccountColumn, columnNames } from '@fresnel/adapters/store-schema';
import { type CreatedAccount, encodeTokenData } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { type FactsOfSlot, findOtherIds, type WithTransactionId } from './facts-of-slot';

const TREE_ID = `(SELECT id FROM trees t WHERE t.tree = list.tree)`;
const SELECT_LIST = columnNames(ACCOUNT_COLUMNS).map((column) => (column === 'tree_id' ? TREE_ID : `list.${column}`));
const LISTED = columnNames(ACCOUNT_COLUMNS).map((column) => (column === 'tree_id' ? 'tree' : column));
/** Types of the listed columns. */
const TYPES = { ...ACCOUNT_COLUMNS, tree_id: 'bytea' } as const;
const PARAMETERS = columnNames(TYPES).map((column, at) => `$${at + 1}::${TYPES[column]}[]`);

const INSERT_ACCOUNTS = `
  WITH inserted AS (
    INSERT INTO accounts (${columnNames(ACCOUNT_COLUMNS).join(', ')})
    SELECT ${SELECT_LIST.join(', ')}
    FROM unnest(${PARAMETERS.join(', ')}) AS list (${LISTED.join(', ')})
    ORDER BY list.hash, list.created_by
    ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT count(*)::integer AS written FROM inserted`;

/** A hash contains the tree and the leaf, so an account is created once. It is in two slots only until one is reverted. */
export const CREATED_BY_OTHERS = `
  SELECT list.id FROM unnest($1::bytea[], $2::bigint[]) AS list (hash, id)
  JOIN accounts a ON a.hash = list.hash
  WHERE a.created_by <> list.id`;

type Created = WithTransactionId<CreatedAccount>;

/** The value of each column; the tree itself for `tree_id`. */
const VALUES: Record<AccountColumn, (account: Created) => Buffer | bigint | number | boolean | null> = {
  hash: ({ hash }) => hash,
  created_by: ({ transactionId }) => transactionId,
  leaf_index: ({ leafIndex }) => leafIndex,
  tree_id: ({ tree }) => tree,
  is_frozen: ({ token }) => token && token.state === 'frozen',
  seq: ({ seq }) => seq,
  owner: ({ body }) => body?.owner ?? null,
  lamports: ({ body }) => body?.lamports ?? null,
  address: ({ body }) => body?.address ?? null,
  discriminator: ({ body }) => body?.data?.discriminator ?? null,
  data: ({ body, token }) => {
    const bytes = body?.data?.bytes ?? null;
    return bytes && token && bytes.equals(encodeTokenData(token)) ? null : bytes;
  },
  data_hash: ({ body }) => body?.data?.dataHash ?? null,
  mint: ({ token }) => token?.mint ?? null,
  token_owner: ({ token }) => token?.owner ?? null,
  amount: ({ token }) => token?.amount ?? null,
  delegate: ({ token }) => token?.delegate ?? null,
  tlv: ({ token }) => token?.tlv ?? null,
  ata_owner: ({ ataOwner }) => ataOwner,
  onchain_pubkey: ({ onchainPubkey }) => onchainPubkey,
};

/**
 * Stores *account H was created by transaction T* for many accounts. Their trees must be stored.
 *
 * @returns slots with an account that another transaction created
 */
export async function insertAccounts(manager: EntityManager, facts: readonly FactsOfSlot[]): Promise<number[]> {
  const created = facts.flatMap(({ created }) => created);
  if (created.length === 0) return [];
  const parameters = columnNames(TYPES).map((column) => created.map(VALUES[column]));
  const [{ written }] = await manager.query<{ written: number }[]>(INSERT_ACCOUNTS, parameters);
  return written === created.length ? [] : findOtherIds(manager, CREATED_BY_OTHERS, created);
}
