import { type SlotEvents } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

const INSERT_BLOCKS = `
  INSERT INTO blocks (slot, parent_slot, blockhash, parent_blockhash, block_time, block_height)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[])
  ORDER BY 1
  ON CONFLICT (slot) DO NOTHING`;

/** Stores the frames of blocks; those that are there stay as they are. */
export async function insertBlocks(manager: EntityManager, slots: readonly SlotEvents[]): Promise<void> {
  await manager.query(INSERT_BLOCKS, [
    slots.map(({ slot }) => slot),
    slots.map(({ parentSlot }) => parentSlot),
    slots.map(({ blockhash }) => blockhash),
    slots.map(({ parentBlockhash }) => parentBlockhash),
    slots.map(({ blockTime }) => blockTime),
    slots.map(({ blockHeight }) => blockHeight),
  ]);
}
