import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type TokenData } from '@fresnel/domain/state';
import { requireTreeType, TREE_TYPES, type TreeType } from '@fresnel/domain/trees';

/** A compressed account whose body is known. */
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
  /** Still in the output queue of a V2 tree. */
  isQueued: boolean;
  token: TokenData | null;
  /** Set for consumed accounts of V2 trees. */
  nullification: { nullifier: Hash; txHash: Hash } | null;
}

/** Columns of `accounts a` joined with `trees t` that make an AccountRecord. */
export const ACCOUNT_COLUMNS = `
  a.hash, a.owner, a.lamports, a.address, a.discriminator, a.data, a.data_hash, a.leaf_index, a.seq, a.slot_created,
  a.mint, a.token_owner, a.amount, a.delegate, a.is_frozen, a.tlv, a.nullifier, a.tx_hash,
  t.tree, t.queue, t.tree_type, t.tree_type = ${TREE_TYPES.stateV2} AND a.leaf_index >= t.appended_leaves AS is_queued`;

/** Those columns as they arrive. */
export interface AccountColumns {
  hash: Hash;
  owner: Pubkey;
  lamports: string;
  address: Hash | null;
  discriminator: Buffer | null;
  data: Buffer | null;
  data_hash: Hash | null;
  leaf_index: string;
  seq: string | null;
  slot_created: string;
  mint: Pubkey | null;
  token_owner: Pubkey | null;
  amount: string | null;
  delegate: Pubkey | null;
  is_frozen: boolean | null;
  tlv: Buffer | null;
  nullifier: Hash | null;
  tx_hash: Hash | null;
  tree: Pubkey;
  queue: Pubkey;
  tree_type: number;
  is_queued: boolean;
}

export function toAccountRecord(row: AccountColumns): AccountRecord {
  const { discriminator, data, data_hash: dataHash, nullifier, tx_hash: txHash } = row;
  return {
    hash: row.hash,
    owner: row.owner,
    lamports: BigInt(row.lamports),
    address: row.address,
    // The chain stores eight bytes; callers get them as the number they are in little endian.
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
}: AccountColumns): TokenData | null {
  if (!mint || !owner || amount === null) return null;
  return { mint, owner, amount: BigInt(amount), delegate, state: isFrozen ? 'frozen' : 'initialized', tlv };
}
