import { type BlockRef, isSparse } from '@fresnel/domain/chain';
import { type Hash, type Slot, toHash, toSlot } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

/** The index as its users see it. */
export interface IndexOverview extends Omit<BlockRef, 'blockhash'> {
  /** Null if a history source has attested the slot, which does not tell it. */
  blockhash: Hash | null;
  /** Unix seconds; null as above, if the slot has no transaction of interest. */
  blockTime: number | null;
  firstSlot: Slot;
  /** The newest indexed slot that a history source has attested; null: none. */
  attestedTo: Slot | null;
  /** The newest slot that the source reported; null before the first report. */
  chainTip: Slot | null;
}

const INDEX_OVERVIEW: Statement = {
  name: 'index-overview',
  text: `
    SELECT s.indexed_slot, s.first_slot, b.blockhash, b.block_time, tip.slot AS chain_tip,
      (SELECT least(to_slot, s.indexed_slot) FROM attested_ranges ORDER BY to_slot DESC LIMIT 1) AS attested_to
    FROM indexer_state s CROSS JOIN chain_tip tip LEFT JOIN blocks b ON b.slot = s.indexed_slot`,
};

interface Row extends WithIndexedSlot {
  first_slot: string;
  blockhash: Buffer | null;
  block_time: string | null;
  chain_tip: string | null;
  attested_to: string | null;
}

/** @throws NothingIndexedError before the first slot is indexed */
export async function findIndexOverview(reader: Reader): Promise<IndexOverview> {
  const rows = await reader.query<Row>(INDEX_OVERVIEW, []);
  const slot = toSlot(indexedSlotOf(rows));
  const [row] = rows;
  const blockhash = row.blockhash && toHash(row.blockhash);
  const hasAttested = row.attested_to !== null;
  return {
    slot,
    blockhash: blockhash && isSparse({ blockhash }) ? null : blockhash,
    blockTime: row.block_time === null ? null : Number(row.block_time),
    firstSlot: toSlot(Number(row.first_slot)),
    attestedTo: hasAttested ? toSlot(Number(row.attested_to)) : null,
    chainTip: row.chain_tip === null ? null : toSlot(Number(row.chain_tip)),
  };
}

/** What operators see besides. */
export interface OperatorOverview {
  deadLetters: { reason: string; count: number }[];
  consumers: {
    group: string;
    /** Name of the topic in the cluster, with KAFKA_PREFIX. */
    topic: string;
    partition: number;
    /** The newest slot that was applied; null: none. */
    slot: number | null;
  }[];
}

/** Reads all dead letters, without their transactions: normally there are none. */
const OPERATOR_OVERVIEW: Statement = {
  name: 'operator-overview',
  text: `
    SELECT
      coalesce((SELECT jsonb_agg(jsonb_build_object('reason', reason, 'count', count) ORDER BY reason) FROM (
        SELECT reason, count(*) FROM dead_letters CROSS JOIN LATERAL unnest(reasons) AS list (reason) GROUP BY reason
      ) counts), '[]') AS "deadLetters",
      coalesce((SELECT jsonb_agg(
        jsonb_build_object('group', consumer_group, 'topic', topic, 'partition', partition, 'slot', slot)
        ORDER BY consumer_group, topic, partition) FROM positions), '[]') AS consumers`,
};

export async function findOperatorOverview(reader: Reader): Promise<OperatorOverview> {
  const [row] = await reader.query<OperatorOverview & Record<string, unknown>>(OPERATOR_OVERVIEW, []);
  return row;
}
