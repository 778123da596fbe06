import { type EntityManager } from 'typeorm';

/** Parallel lists of mints and owners. */
export interface HolderLists {
  mints: Buffer[];
  owners: Buffer[];
}

/** A separate statement: one statement cannot update and delete the same row. */
const DELETE_EMPTY_HOLDERS = `
  DELETE FROM token_holders h USING unnest($1::bytea[], $2::bytea[]) AS empty (mint, owner)
  WHERE h.mint = empty.mint AND h.owner = empty.owner AND h.balance = 0`;

/** Deletes the given holders whose balance is zero. */
export async function deleteEmptyHolders(manager: EntityManager, { mints, owners }: HolderLists): Promise<void> {
  if (mints.length > 0) await manager.query(DELETE_EMPTY_HOLDERS, [mints, owners]);
}
