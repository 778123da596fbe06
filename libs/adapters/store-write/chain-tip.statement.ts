import { type DataSource } from 'typeorm';

/** Newest slot that the source reported. */
export interface ChainTip {
  slot: number;
  seenAt: Date;
}

const STORE_CHAIN_TIP = `
  UPDATE chain_tip SET slot = greatest(slot, $1), seen_at = greatest(seen_at, $2)
  WHERE slot IS NULL OR slot < $1 OR seen_at < $2`;

/** Stores the chain tip if it is newer than the stored one. */
export async function storeChainTip(dataSource: DataSource, { slot, seenAt }: ChainTip): Promise<void> {
  await dataSource.query(STORE_CHAIN_TIP, [slot, seenAt]);
}
