import { type Hash, type Pubkey, toHash, toPubkey } from '@fresnel/domain/primitives';
import { encodeTokenData, type TokenData } from '@fresnel/domain/state';
import { requireTreeType, type TreeType } from '@fresnel/domain/trees';
import { NEXT_SLOT_ID } from './indexed-slot';
import { type PackedRow } from './packed-rows';
import { IS_QUEUED, joinTree } from './queued-leaf';

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

const SPEND_JOIN = `LEFT JOIN spends spend ON spend.hash = a.hash AND spend.spent_by < ${NEXT_SLOT_ID}`;

/**
 * `accounts a` with their trees and spends, as of the indexed slot of `indexer_state s`. `spend` is null for unspent
 * accounts.
 */
export const RECORD_JOINS = `
  ${joinTree('a.tree_id')}
  ${SPEND_JOIN}`;

/**
 * The same with the trees in which accounts were created, if a condition is true. `origin` has the place of an account whose
 * leaf has migrated since.
 */
export function recordJoinsAsCreated(condition: string): string {
  return `
  LEFT JOIN migrated_leaves origin ON origin.hash = a.hash AND origin.v1_tree_id IS NOT NULL AND ${condition}
  ${joinTree('coalesce(origin.v1_tree_id, a.tree_id)')}
  ${SPEND_JOIN}`;
}

/** The same for accounts that `unspent_accounts` lists: no spend is looked up. */
export const UNSPENT_RECORD_JOINS = `
  ${joinTree('a.tree_id')}
  LEFT JOIN spends spend ON false`;

/**
 * An account as one value: `accounts a` with RECORD_JOINS or UNSPENT_RECORD_JOINS, as of the indexed slot of `indexer_state s`.
 * `toAccountRecord` reads the columns in this order.
 */
export const RECORD = recordOf('a.leaf_index', 'a.seq');

/** The same with `recordJoinsAsCreated`, at the place where the account was created. */
export const RECORD_AS_CREATED = recordOf(
  'CASE WHEN origin.hash IS NULL THEN a.leaf_index ELSE origin.v1_leaf_index END',
  'CASE WHEN origin.hash IS NULL THEN a.seq ELSE origin.v1_seq END',
);

/** An unspent account of `accounts a` without its tree. `readAccountList` reads it. */
export const LISTED_RECORD = rowOf(bodyOf('a.leaf_index', 'a.seq'), 'a.tree_id');

function recordOf(leafIndex: string, seq: string): string {
  const place = `spend.nullifier, spend.tx_hash, t.tree, t.queue, t.tree_type, ${IS_QUEUED}`;
  return rowOf(bodyOf(leafIndex, seq), place);
}

function bodyOf(leafIndex: string, seq: string): string {
  return `
    a.hash, a.owner, a.lamports::text, a.address, ${leafIndex}, (${seq})::text, a.created_by >> 16,
    a.discriminator, a.data, a.data_hash`;
}

/** An account without tokens has no columns for them: each null is eight bytes, and what a page costs Postgres is to encode its bytes. */
function rowOf(body: string, place: string): string {
  const token = 'a.mint, a.token_owner, a.amount::text, a.delegate, a.is_frozen, a.tlv';
  return `
    CASE WHEN a.mint IS NULL THEN record_send(ROW(${body}, ${place}))
      ELSE record_send(ROW(${body}, ${place}, ${token})) END`;
}

/** What a record says after the body of an account. */
type Place = Pick<AccountRecord, 'tree' | 'queue' | 'treeType' | 'isQueued' | 'nullification'>;

/** Reads a RECORD. */
export function toAccountRecord(row: PackedRow): AccountRecord {
  return readAccount(row, () => {
    const [nullifier, txHash] = [row.bytes(), row.bytes()];
    const { tree, queue, treeType } = readTree(row);
    const isQueued = row.boolean();
    const nullification = nullifier && txHash && { nullifier: toHash(nullifier), txHash: toHash(txHash) };
    return { tree, queue, treeType, isQueued, nullification };
  });
}

/** Reads the tree, the queue and the type of a tree. */
export function readTree(row: PackedRow): Pick<AccountRecord, 'tree' | 'queue' | 'treeType'> {
  const [tree, queue, treeType] = [row.bytes(), row.bytes(), row.integer()];
  return { tree: toPubkey(present(tree)), queue: toPubkey(present(queue)), treeType: requireTreeType(treeType) };
}

/** Reads the body of an account. @param readPlace reads the columns after it */
export function readAccount(row: PackedRow, readPlace: (leafIndex: number) => Place): AccountRecord {
  const [hash, owner, lamports, address] = [row.bytes(), row.bytes(), row.number(), row.bytes()];
  const [leafIndex, seq, slotCreated] = [row.integer(), row.number(), row.integer()];
  const [discriminator, bytes, dataHash] = [row.littleEndian(), row.bytes(), row.bytes()];
  const { tree, queue, treeType, isQueued, nullification } = readPlace(leafIndex);
  const token = row.hasMore ? readTokenData(row) : null;
  const data = bytes ?? (token && encodeTokenData(token));
  return {
    hash: toHash(present(hash)),
    owner: toPubkey(present(owner)),
    lamports: present(lamports),
    address: address && toHash(address),
    data:
      discriminator !== null && data && dataHash ? { discriminator, bytes: data, dataHash: toHash(dataHash) } : null,
    tree,
    queue,
    treeType,
    leafIndex,
    seq,
    slotCreated,
    isQueued,
    token,
    nullification,
  };
}

function readTokenData(row: PackedRow): TokenData | null {
  const [mint, owner, amount, delegate] = [row.bytes(), row.bytes(), row.number(), row.bytes()];
  const [isFrozen, tlv] = [row.boolean(), row.bytes()];
  if (!mint || !owner || amount === null) return null;
  return {
    mint: toPubkey(mint),
    owner: toPubkey(owner),
    amount,
    delegate: delegate && toPubkey(delegate),
    state: isFrozen ? 'frozen' : 'initialized',
    tlv,
  };
}

/** A column that every account with a body has. */
function present<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('the body of an account is not stored');
  return value;
}
