import { EntitySchema } from 'typeorm';
import { column, key, nullable } from './columns';

/** The one row that says how far the index is. */
export interface IndexerStateRow {
  id: number;
  /** Which chain this is: hash of its first block. */
  genesisHash: string | null;
  firstSlot: string | null;
  /** Tip of the unbroken chain of blocks from `firstSlot` on. */
  indexedSlot: string | null;
  /** Newest slot that the source said exists. */
  chainTip: string | null;
  chainTipSeenAt: Date | null;
}

export const IndexerStateEntity = new EntitySchema<IndexerStateRow>({
  name: 'IndexerState',
  tableName: 'indexer_state',
  columns: {
    id: key({ ...column('smallint'), default: 1 }, 'indexer_state'),
    genesisHash: nullable('text', 'genesis_hash'),
    firstSlot: nullable('bigint', 'first_slot'),
    indexedSlot: nullable('bigint', 'indexed_slot'),
    chainTip: nullable('bigint', 'chain_tip'),
    chainTipSeenAt: nullable('timestamptz', 'chain_tip_seen_at'),
  },
  checks: [{ name: 'one_row', expression: 'id = 1' }],
});
