import { type AccountColumn, type AccountRow } from '@fresnel/adapters/store-schema';
import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { encodeTokenData, type TokenData } from '@fresnel/domain/state';
import { requireTreeType, type TreeType } from '@fresnel/domain/trees';
import { NEXT_SLOT_ID, type WithIndexedSlot } from './indexed-slot';
import { IS_QUEUED } from './queued-leaf';

/** A compressed account whose body is stored. */
export interface AccountRecord {
  hash: Hash;
  owner: Pubkey;
  lamports: bigint;
  address: Hash | null;
  data: { discriminator: bigint; bytes: Buffer; dataHash: Hash } | null;
  tree: Pubkey;
  queue: Pubkey;
  treeType: TreeType;
  leafIndex: number;
  /** Null for accounts of V2 trees. */
  seq: bigint | null;
  slotCreated: number;
  /** Whether the account is still in the output queue of a V2 tree. */
  isQueued: boolean;
  token: TokenData | null;
  /** Set for consumed accounts of V2 trees. */
  nullification: { nullifier: Hash; txHash: Hash } | null;
}

/** An account with token data. */
export type TokenAccountRecord = AccountRecord & { token: TokenData };

/** The columns of `accounts` that are part of an AccountRecord. */
const RECORD_COLUMNS = [
  'hash',
  'owner',
  'lamports',
  'address',
  'discriminator',
  'data',
  'data_hash',
  'leaf_index',
  'seq',
  'mint',
  'token_owner',
  'amount',
  'delegate',
  'is_frozen',
  'tlv',
] as const satisfies readonly AccountColumn[];

const SPEND_JOIN = `LEFT JOIN spends spend ON spend.hash = a.hash AND spend.spent_by < ${NEXT_SLOT_ID}`;

/**
 * `accounts a` with their trees and spends, as of the indexed slot of `indexer_state s`. `spend` is null for unspent
 * accounts.
 */
export const RECORD_JOINS = `
  JOIN trees t ON t.id = a.tree_id
  ${SPEND_JOIN}`;

/**
 * The same with the trees in which accounts were created, if a condition is true. `origin` has the place of an account whose
 * leaf has migrated since.
 */
export function recordJoinsAsCreated(condition: string): string {
  return `
  LEFT JOIN migrated_leaves origin ON origin.hash = a.hash AND origin.v1_tree_id IS NOT NULL AND ${condition}
  JOIN trees t ON t.id = coalesce(origin.v1_tree_id, a.tree_id)
  ${SPEND_JOIN}`;
}

/** The same for accounts that `unspent_accounts` lists: no spend is looked up. */
export const UNSPENT_RECORD_JOINS = `
  JOIN trees t ON t.id = a.tree_id
  LEFT JOIN spends spend ON false`;

/** Select list for `accounts a` with RECORD_JOINS or UNSPENT_RECORD_JOINS, as of the indexed slot of `indexer_state s`. */
export const RECORD_SELECT_LIST = `
  ${RECORD_COLUMNS.map((column) => `a.${column}`).join(', ')}, a.created_by >> 16 AS slot_created,
  spend.nullifier, spend.tx_hash,
  t.tree, t.queue, t.tree_type, ${IS_QUEUED} AS is_queued`;

type RecordColumn = (typeof RECORD_COLUMNS)[number];

/** Columns that are set for every account whose body is stored. */
type BodyColumn = 'hash' | 'owner' | 'lamports' | 'leaf_index';

type ValueOf<Column extends RecordColumn> = Column extends 'owner' | 'mint' | 'token_owner' | 'delegate'
  ? Pubkey
  : Column extends 'hash' | 'address' | 'data_hash'
    ? Hash
    : NonNullable<AccountRow[Column]>;

/** A row of RECORD_SELECT_LIST. */
export type RecordRow = {
  [Column in RecordColumn]: Column extends BodyColumn ? ValueOf<Column> : ValueOf<Column> | null;
} & {
  slot_created: string;
  nullifier: Hash | null;
  tx_hash: Hash | null;
  tree: Pubkey;
  queue: Pubkey;
  tree_type: number;
  is_queued: boolean;
};

/** A row of a statement whose part `found` may have no account: then all its columns are null. */
export type OptionalRecordRow = WithIndexedSlot & { [Column in keyof RecordRow]: RecordRow[Column] | null };

export function isFound<Row extends OptionalRecordRow>(row: Row): row is Row & RecordRow {
  return row.hash !== null;
}

export function toAccountRecord(row: RecordRow): AccountRecord {
  const { discriminator, data_hash: dataHash, nullifier, tx_hash: txHash } = row;
  const token = toTokenData(row);
  const data = row.data ?? (token && encodeTokenData(token));
  return {
    hash: row.hash,
    owner: row.owner,
    lamports: BigInt(row.lamports),
    address: row.address,
    // The chain stores eight bytes. They are returned as a little-endian number.
    data: discriminator &&
      data &&
      dataHash && { discriminator: discriminator.readBigUInt64LE(), bytes: data, dataHash },
    tree: row.tree,
    queue: row.queue,
    treeType: requireTreeType(row.tree_type),
    leafIndex: Number(row.leaf_index),
    seq: row.seq === null ? null : BigInt(row.seq),
    slotCreated: Number(row.slot_created),
    isQueued: row.is_queued,
    token,
    nullification: nullifier && txHash && { nullifier, txHash },
  };
}

function toTokenData({
  mint,
  token_owner: owner,
  amount,
  delegate,
  is_frozen: isFrozen,
  tlv,
}: RecordRow): TokenData | null {
  if (!mint || !owner || amount === null) return null;
  return { mint, owner, amount: BigInt(amount), delegate, state: isFrozen ? 'frozen' : 'initialized', tlv };
}
