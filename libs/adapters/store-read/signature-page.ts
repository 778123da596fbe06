import { firstTransactionId } from '@fresnel/adapters/store-schema';
import { type Signature } from '@fresnel/domain/primitives';
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

/**
 * Ids of indexed transactions after the position are lower. The position is a slot and a signature: $1 is the first id of the
 * slot, and the ids of larger signatures follow it.
 */
const END_ID = `
  least(${NEXT_SLOT_ID}, (
    SELECT coalesce(min(p.id), $1::bigint + 65536) FROM transactions p
    WHERE p.id >= $1::bigint AND p.id < $1::bigint + 65536 AND p.signature >= $2))`;

/**
 * A page of signatures: newest slot first, then largest signature.
 *
 * @param page selects slot, signature and block_time of at most $3 transactions, given the id that all ids are below; further
 * parameters start at $4
 */
export function signaturePage(name: string, page: (endId: string) => string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, page.slot, page.signature, page.block_time
      FROM indexer_state s
      LEFT JOIN LATERAL (${page(END_ID)}) page ON true
      ORDER BY page.slot DESC, page.signature DESC`,
  };
}

/** Selects slot, signature and block_time. @param ids selects the ids of transactions */
export function selectSignatures(ids: string): string {
  return `
        SELECT t.id >> 16 AS slot, t.signature, t.block_time FROM (${ids}) AS list (id)
        JOIN transactions t ON t.id = list.id`;
}

/** Greater than every position, and than every slot. */
const FIRST_PAGE = { slot: 2n ** 46n, signature: Buffer.alloc(0) };

/** A row of a page of signatures. */
export type SignatureRow = WithIndexedSlot & {
  slot: string | null;
  signature: Signature | null;
  block_time: string | null;
};

/**
 * Reads a page of signatures.
 *
 * @param after last item of the previous page
 * @param values of the parameters from $4 on
 */
export async function readSignaturePage(
  reader: Reader,
  statement: Statement,
  limit: number,
  after: SignaturePosition | null,
  ...values: unknown[]
): Promise<SignaturePage> {
  const { slot, signature } = after && after.slot < FIRST_PAGE.slot ? after : FIRST_PAGE;
  const rows = await reader.query<SignatureRow>(statement, [firstTransactionId(slot), signature, limit, ...values]);
  return { slot: indexedSlotOf(rows), items: rows.flatMap(toSignatureRecords) };
}

/** A row without a signature is that of an empty page. */
export function toSignatureRecords({ signature, slot, block_time: blockTime }: SignatureRow): SignatureRecord[] {
  return signature === null ? [] : [{ signature, slot: Number(slot), blockTime: Number(blockTime) }];
}
