import { type EntityManager } from 'typeorm';

/** Mints and owners side by side. */
export interface HolderLists {
  mints: Buffer[];
  owners: Buffer[];
}

/** A statement cannot delete the row that it has just changed, so this is one of its own. */
const DELETE_EMPTY_HOLDERS = `
  DELETE FROM token_holders h USING unnest($1::bytea[], $2::bytea[]) AS empty (mint, owner)
  WHERE h.mint = empty.mint AND h.owner = empty.owner AND h.balance = 0`;

/** Removes those of the holders that hold nothing. */
export async function deleteEmptyHolders(manager: EntityManager, { mints, owners }: HolderLists): Promise<void> {
  if (mints.length > 0) await manager.query(DELETE_EMPTY_HOLDERS, [mints, owners]);
}
