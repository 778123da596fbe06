import { type Reader, type Statement } from './reader';

export const INDEXED_BLOCK_TIME: Statement = {
  name: 'indexed-block-time',
  text: `SELECT b.block_time FROM indexer_state s JOIN blocks b ON b.slot = s.indexed_slot`,
};

interface Row {
  block_time: string;
}

/** The time of the block at the indexed slot, in Unix seconds; null if nothing is indexed. */
export async function findIndexedBlockTime(reader: Reader): Promise<number | null> {
  const row = (await reader.query<Row>(INDEXED_BLOCK_TIME, [])).at(0);
  return row ? Number(row.block_time) : null;
}
