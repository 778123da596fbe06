import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { NothingIndexedError } from './errors';
import { type Reader, type Statement } from './reader';

/** The progress of the index and of the chain. */
export interface IndexerStatus {
  /** Null before the first slot is indexed. */
  indexedSlot: Slot | null;
  /** The time of the block at the indexed slot, in Unix seconds; null if nothing is indexed. */
  indexedBlockTime: number | null;
  /** The newest slot that the source reported; null before the first report. */
  chainTip: Slot | null;
  chainTipSeenAt: Date | null;
}

export const INDEXER_STATUS: Statement = {
  name: 'indexer-status',
  text: `
    SELECT s.indexed_slot, b.block_time, tip.slot AS chain_tip, tip.seen_at AS chain_tip_seen_at
    FROM chain_tip tip CROSS JOIN indexer_state s LEFT JOIN blocks b ON b.slot = s.indexed_slot`,
};

interface Row {
  indexed_slot: string | null;
  block_time: string | null;
  chain_tip: string | null;
  chain_tip_seen_at: Date | null;
}

export async function findIndexerStatus(reader: Reader): Promise<IndexerStatus> {
  const [row] = await reader.query<Row>(INDEXER_STATUS, []);
  return {
    indexedSlot: slotOf(row.indexed_slot),
    indexedBlockTime: row.block_time === null ? null : Number(row.block_time),
    chainTip: slotOf(row.chain_tip),
    chainTipSeenAt: row.chain_tip_seen_at,
  };
}

/** @throws NothingIndexedError before the first slot is indexed */
export async function findIndexedSlot(reader: Reader): Promise<Slot> {
  const { indexedSlot } = await findIndexerStatus(reader);
  if (indexedSlot === null) throw new NothingIndexedError();
  return indexedSlot;
}

function slotOf(text: string | null): Slot | null {
  return text === null ? null : toSlot(Number(text));
}
