import { firstTransactionId } from '@fresnel/adapters/store-schema';
import { type Signature, SIGNATURE_BYTES, toSignature } from '@fresnel/domain/primitives';
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
 * @param transactions as for `selectRecords`: at most $3 of them, given the id that all ids are below; further parameters start
 * at $4
 */
export function signaturePage(name: string, transactions: (endId: string) => string): Statement {
  return { name, text: selectRecords(transactions(END_ID)) };
}

/**
 * Selects a page as one row with the records that `toSignaturePage` reads: a row for each signature takes longer to send and to
 * parse than to find.
 *
 * @param transactions what follows FROM: `t` with id, signature and block_time
 */
export function selectRecords(transactions: string): string {
  return `
      SELECT s.indexed_slot, (
        SELECT string_agg(t.signature || int8send(t.id >> 16) || int8send(t.block_time), '' ORDER BY t.id DESC)
        FROM ${transactions}
      ) AS records
      FROM indexer_state s`;
}

/**
 * Transactions for `selectRecords`. Postgres 17 and later look an array up in one pass over the index, in less than half of the time
 * of a join, and in the order of the records.
 *
 * @param ids selects the ids
 */
export function transactionsOf(ids: string): string {
  return `transactions t WHERE t.id = ANY (ARRAY(${ids}))`;
}

/** Greater than every position, and than every slot. */
const FIRST_PAGE = { slot: 2n ** 46n, signature: Buffer.alloc(0) };

/** The row of a page. */
export type SignaturePageRow = WithIndexedSlot & {
  /** A signature, its slot and the time of its block, as big-endian integers of 64 bits, for each item. */
  records: Buffer | null;
};

const SLOT_AT = SIGNATURE_BYTES;
const BLOCK_TIME_AT = SLOT_AT + 8;
const RECORD_BYTES = BLOCK_TIME_AT + 8;

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
  const rows = await reader.query<SignaturePageRow>(statement, [firstTransactionId(slot), signature, limit, ...values]);
  return toSignaturePage(rows);
}

/** @throws NothingIndexedError */
export function toSignaturePage(rows: readonly SignaturePageRow[]): SignaturePage {
  const records = rows.at(0)?.records ?? Buffer.alloc(0);
  const items = Array.from({ length: records.length / RECORD_BYTES }, (_, place) =>
    signatureAt(records, place * RECORD_BYTES),
  );
  return { slot: indexedSlotOf(rows), items };
}

function signatureAt(records: Buffer, at: number): SignatureRecord {
  return {
    signature: toSignature(records.subarray(at, at + SIGNATURE_BYTES)),
    slot: Number(records.readBigInt64BE(at + SLOT_AT)),
    blockTime: Number(records.readBigInt64BE(at + BLOCK_TIME_AT)),
  };
}
