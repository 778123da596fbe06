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

/** A block that the chain left. Whatever is told of it is not applied any more. */
export interface AbandonedBlockRow {
  slot: string;
  blockhash: Buffer;
  abandonedAt: Date;
}

export const AbandonedBlockEntity = new EntitySchema<AbandonedBlockRow>({
  name: 'AbandonedBlock',
  tableName: 'abandoned_blocks',
  columns: {
    slot: key(column('bigint'), 'abandoned_blocks'),
    blockhash: key(column('bytea'), 'abandoned_blocks'),
    abandonedAt: { ...column('timestamptz', 'abandoned_at'), default: () => 'now()' },
  },
});
