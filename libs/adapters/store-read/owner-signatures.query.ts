import { firstTransactionId } from '@fresnel/adapters/store-schema';
import { type Pubkey, type Signature } from '@fresnel/domain/primitives';
import { indexedSlotOf, NEXT_SLOT_ID, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

export interface SignatureRecord {
  signature: Signature;
  slot: number;
  /** Unix seconds. */
  blockTime: number;
}

/** The last item of a page. The next page starts after it. */
export interface SignaturePosition {
  slot: bigint;
  signature: Signature;
}

export interface SignaturePage {
  /** The slot at which the page is true. */
  slot: number;
  items: SignatureRecord[];
}

/** The position is a slot and a signature: $2 is the first id of the slot, and the ids of larger signatures follow it. */
function signaturesOf(name: string, table: string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, page.slot, page.signature, page.block_time
      FROM indexer_state s
      LEFT JOIN LATERAL (
        SELECT t.id >> 16 AS slot, t.signature, t.block_time FROM ${table} o
        JOIN transactions t ON t.id = o.transaction_id
        WHERE o.owner = $1 AND o.transaction_id < least(${NEXT_SLOT_ID}, (
          SELECT coalesce(min(p.id), $2::bigint + 65536) FROM transactions p
          WHERE p.id >= $2::bigint AND p.id < $2::bigint + 65536 AND p.signature >= $3))
        ORDER BY o.transaction_id DESC
        LIMIT $4
      ) page ON true
      ORDER BY page.slot DESC, page.signature DESC`,
  };
}

export const OWNER_SIGNATURES = signaturesOf('owner-signatures', 'owner_signatures');
export const TOKEN_OWNER_SIGNATURES = signaturesOf('token-owner-signatures', 'token_owner_signatures');

/** Greater than every position, and than every slot. */
const FIRST_PAGE = { slot: 2n ** 46n, signature: Buffer.alloc(0) };

type Row = WithIndexedSlot & { slot: string | null; signature: Signature | null; block_time: string | null };

/** Transactions that created or consumed an account of this owner, newest slot first, then largest signature. */
export function findOwnerSignatures(
  reader: Reader,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return findPage(reader, OWNER_SIGNATURES, owner, limit, after);
}

/** The same for the owner inside token accounts. */
export function findTokenOwnerSignatures(
  reader: Reader,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return findPage(reader, TOKEN_OWNER_SIGNATURES, owner, limit, after);
}

async function findPage(
  reader: Reader,
  statement: Statement,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  const { slot, signature } = after && after.slot < FIRST_PAGE.slot ? after : FIRST_PAGE;
  const rows = await reader.query<Row>(statement, [owner, firstTransactionId(slot), signature, limit]);
  const items = rows.flatMap(({ signature, slot, block_time: blockTime }) =>
    signature === null ? [] : [{ signature, slot: Number(slot), blockTime: Number(blockTime) }],
  );
  return { slot: indexedSlotOf(rows), items };
}
