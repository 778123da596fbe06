import { EntitySchema } from 'typeorm';
import { column, key, nullable } from './columns';

/** A block of the chain that was projected. */
export interface BlockRow {
  slot: string;
  parentSlot: string;
  blockhash: Buffer;
  parentBlockhash: Buffer;
  /** Unix seconds. */
  blockTime: string;
  blockHeight: string | null;
}

export const BlockEntity = new EntitySchema<BlockRow>({
  name: 'Block',
  tableName: 'blocks',
  columns: {
    slot: key(column('bigint'), 'blocks'),
    parentSlot: column('bigint', 'parent_slot'),
    blockhash: column('bytea'),
    parentBlockhash: column('bytea', 'parent_blockhash'),
    blockTime: column('bigint', 'block_time'),
    blockHeight: nullable('bigint', 'block_height'),
  },
  indices: [{ name: 'idx_blocks_parent_slot', columns: ['parentSlot'] }],
});
