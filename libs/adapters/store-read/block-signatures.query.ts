import { MAX_BLOCK_SIGNATURES } from '@fresnel/domain/events';
import { type Signature, SIGNATURE_BYTES, toSignature } from '@fresnel/domain/primitives';
import { SignaturesNotRecordedError } from './errors';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';
import { type SignaturePage, type SignaturePosition, type SignatureRecord } from './signature-page';

/**
 * The newest blocks that have $2 signatures together, from slot $1 back. The page begins inside the first of them, so $2
 * includes the signatures of one block more.
 */
const BLOCK_SIGNATURES: Statement = {
  name: 'block-signatures',
  text: `
    SELECT s.indexed_slot, page.slot, page.block_time, page.signatures,
      EXISTS (SELECT FROM block_signatures r WHERE r.slot = s.indexed_slot) AS is_recorded
    FROM indexer_state s
    LEFT JOIN LATERAL (
      SELECT r.slot, r.block_time, r.signatures,
        sum(octet_length(r.signatures)) OVER (ORDER BY r.slot DESC) - octet_length(r.signatures) AS newer
      FROM block_signatures r WHERE r.slot <= least(s.indexed_slot, $1)
    ) page ON page.newer < ${SIGNATURE_BYTES} * $2::bigint
    ORDER BY page.slot DESC`,
};

type Row = WithIndexedSlot & { is_recorded: boolean } & (
    { slot: string; block_time: string; signatures: Buffer } | { slot: null; block_time: null; signatures: null }
  );

/** Above every slot. */
const NO_SLOT = 2n ** 63n - 1n;

/**
 * The transactions that succeeded and do not vote, with and without compression, newest slot first, then largest signature.
 * Only the newest are stored.
 *
 * @throws SignaturesNotRecordedError, NothingIndexedError
 */
export async function findBlockSignatures(
  reader: Reader,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  const rows = await reader.query<Row>(BLOCK_SIGNATURES, [after?.slot ?? NO_SLOT, limit + MAX_BLOCK_SIGNATURES]);
  const slot = indexedSlotOf(rows);
  if (!rows[0].is_recorded) throw new SignaturesNotRecordedError();
  const items = rows.flatMap((row) => (row.signatures === null ? [] : recordsOf(row)));
  const start = after ? items.findIndex((item) => isAfter(item, after)) : 0;
  return { slot, items: start < 0 ? [] : items.slice(start, start + limit) };
}

function recordsOf(row: { slot: string; block_time: string; signatures: Buffer }): SignatureRecord[] {
  const [slot, blockTime] = [Number(row.slot), Number(row.block_time)];
  return splitSignatures(row.signatures).map((signature) => ({ signature, slot, blockTime }));
}

function splitSignatures(bytes: Buffer): Signature[] {
  return Array.from({ length: bytes.length / SIGNATURE_BYTES }, (_, at) =>
    toSignature(bytes.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES)),
  );
}

function isAfter({ slot, signature }: SignatureRecord, after: SignaturePosition): boolean {
  return BigInt(slot) < after.slot || (BigInt(slot) === after.slot && signature.compare(after.signature) < 0);
}
