import { type AccountColumn, type AccountRow } from '@fresnel/adapters/store-schema';
import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type TokenData } from '@fresnel/domain/state';
import { requireTreeType, TREE_TYPES, type TreeType } from '@fresnel/domain/trees';

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
  'slot_created',
  'mint',
  'token_owner',
  'amount',
  'delegate',
  'is_frozen',
  'tlv',
  'nullifier',
  'tx_hash',
] as const satisfies readonly AccountColumn[];

/** These are true only once the account is spent. */
const SPEND_COLUMNS: readonly string[] = ['nullifier', 'tx_hash'];

/** Select list for `accounts a` joined with `trees t`, as of the indexed slot of `indexer_state s`. */
export const RECORD_SELECT_LIST = `
  ${RECORD_COLUMNS.map((column) =>
    SPEND_COLUMNS.includes(column)
      ? `CASE WHEN a.spent_slot > s.indexed_slot THEN NULL ELSE a.${column} END AS ${column}`
      : `a.${column}`,
  ).join(', ')},
  t.tree, t.queue, t.tree_type, t.tree_type = ${TREE_TYPES.stateV2} AND a.leaf_index >= coalesce((
    SELECT p.next_leaf_index FROM tree_appends p WHERE p.tree = t.tree AND p.slot <= s.indexed_slot
    ORDER BY p.slot DESC LIMIT 1), 0) AS is_queued`;

type RecordColumn = (typeof RECORD_COLUMNS)[number];

/** Columns that are set for every account whose body is stored. */
type BodyColumn = 'hash' | 'owner' | 'lamports' | 'leaf_index' | 'slot_created';

type ValueOf<Column extends RecordColumn> = Column extends 'owner' | 'mint' | 'token_owner' | 'delegate'
  ? Pubkey
  : Column extends 'hash' | 'address' | 'data_hash' | 'nullifier' | 'tx_hash'
    ? Hash
    : NonNullable<AccountRow[Column]>;

/** A row of RECORD_SELECT_LIST. */
export type RecordRow = {
  [Column in RecordColumn]: Column extends BodyColumn ? ValueOf<Column> : ValueOf<Column> | null;
} & {
  tree: Pubkey;
  queue: Pubkey;
  tree_type: number;
  is_queued: boolean;
};

export function toAccountRecord(row: RecordRow): AccountRecord {
  const { discriminator, data, data_hash: dataHash, nullifier, tx_hash: txHash } = row;
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
    token: toTokenData(row),
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
