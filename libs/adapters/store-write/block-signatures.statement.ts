import { type SlotEvents } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

/** The newest signatures of the index that are kept: ten pages. */
export const KEPT_SIGNATURES = 10_000;

const INSERT_BLOCK_SIGNATURES = `
  INSERT INTO block_signatures (slot, block_time, signatures)
  SELECT slot, block_time, signatures FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
    AS list (slot, block_time, signatures)
  ORDER BY slot
  ON CONFLICT (slot) DO NOTHING`;

/** Stores the signatures of all transactions of blocks, if they are recorded. The blocks must be stored, or old. */
export async function insertBlockSignatures(manager: EntityManager, slots: readonly SlotEvents[]): Promise<void> {
  const recorded = slots.flatMap(({ slot, blockTime, signatures }) =>
    signatures === null ? [] : [{ slot, blockTime, signatures: Buffer.concat(signatures.toSorted(descending)) }],
  );
  if (recorded.length === 0) return;
  await manager.query(INSERT_BLOCK_SIGNATURES, [
    recorded.map(({ slot }) => slot),
    recorded.map(({ blockTime }) => blockTime),
    recorded.map(({ signatures }) => signatures),
  ]);
}

function descending(one: Buffer, other: Buffer): number {
  return other.compare(one);
}

const DELETE_BLOCK_SIGNATURES = `DELETE FROM block_signatures WHERE slot = ANY ($1::bigint[])`;

/** Reverts the signatures of slots. */
export async function deleteBlockSignatures(manager: EntityManager, slots: readonly number[]): Promise<void> {
  await manager.query(DELETE_BLOCK_SIGNATURES, [slots]);
}
