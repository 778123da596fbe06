import { type Hash, toHash } from '@fresnel/domain/primitives';
import { type Reader, type Statement } from './reader';

/** What revisions have changed. */
export interface Changes {
  /** The newest revision. */
  revision: number;
  /** The newest slot at or below the asked one that no revert has removed. */
  slot: number;
  /** Its hash; null if the block is deleted by now, or is none of the chain. */
  blockhash: Hash | null;
  /** The lowest slot to which the indexed slot was lowered, maybe above the asked one; null: it never was. */
  revertedTo: number | null;
  /** The place of the last transaction that was amended; null: none was. */
  lastAmended: number | null;
}

const CHANGES: Statement = {
  name: 'changes',
  text: `
    WITH reverts AS MATERIALIZED (
      SELECT min(reverted_to) AS slot FROM revisions WHERE revision > $1)
    SELECT s.revision, reverts.slot AS reverted_to, least($2::bigint, reverts.slot) AS slot, b.blockhash,
      (SELECT max(place) FROM revisions r CROSS JOIN LATERAL unnest(r.amended) AS list (place) WHERE r.revision > $1)
        AS last_amended
    FROM indexer_state s CROSS JOIN reverts
    LEFT JOIN blocks b ON b.slot = least($2::bigint, reverts.slot)`,
};

/** Returns what the revisions after one have changed. @param slot see `Changes.slot` @throws StoreUnavailableError */
export async function findChanges(reader: Reader, after: number, slot: number): Promise<Changes> {
  const [row] = await reader.query<{
    revision: string;
    reverted_to: string | null;
    slot: string;
    blockhash: Buffer | null;
    last_amended: string | null;
  }>(CHANGES, [after, slot]);
  return {
    revision: Number(row.revision),
    slot: Number(row.slot),
    blockhash: row.blockhash && toHash(row.blockhash),
    revertedTo: row.reverted_to === null ? null : Number(row.reverted_to),
    lastAmended: row.last_amended === null ? null : Number(row.last_amended),
  };
}

/** The index, and what it knows of a slot. */
export interface IndexAt {
  /** 16 bytes. */
  indexId: Buffer;
  revision: number;
  /** Null before the first slot is indexed. */
  indexedSlot: number | null;
  firstSlot: number | null;
  /** The hash of the block at the slot; null if none is stored. */
  blockhash: Hash | null;
  /** Whether a history source has attested the slot. */
  isAttested: boolean;
}

/** Without a slot ($1 is null), of the indexed one. */
const INDEX_AT: Statement = {
  name: 'index-at',
  text: `
    SELECT s.index_id::text AS index_id, s.revision, s.indexed_slot, s.first_slot, b.blockhash,
      EXISTS (SELECT FROM attested_ranges r WHERE r.to_slot >= $1 AND r.from_slot <= $1) AS is_attested
    FROM indexer_state s LEFT JOIN blocks b ON b.slot = coalesce($1::bigint, s.indexed_slot)`,
};

/** @param slot null for the indexed one @throws StoreUnavailableError */
export async function findIndexAt(reader: Reader, slot: number | null): Promise<IndexAt> {
  const [row] = await reader.query<{
    index_id: string;
    revision: string;
    indexed_slot: string | null;
    first_slot: string | null;
    blockhash: Buffer | null;
    is_attested: boolean;
  }>(INDEX_AT, [slot]);
  const toNumber = (text: string | null) => (text === null ? null : Number(text));
  return {
    indexId: toIndexId(row.index_id),
    revision: Number(row.revision),
    indexedSlot: toNumber(row.indexed_slot),
    firstSlot: toNumber(row.first_slot),
    blockhash: row.blockhash && toHash(row.blockhash),
    isAttested: row.is_attested,
  };
}

/** The bytes of a UUID. */
export function toIndexId(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
