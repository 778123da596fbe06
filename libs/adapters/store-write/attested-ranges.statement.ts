import { type SlotEvents } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

const INSERT_ATTESTED_RANGES = `
  INSERT INTO attested_ranges (from_slot, to_slot, source, transactions)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[])
  ON CONFLICT (to_slot, source) DO NOTHING`;

/** Stores the ranges that end with slots. */
export async function insertAttestedRanges(manager: EntityManager, slots: readonly SlotEvents[]): Promise<void> {
  const ended = slots.flatMap(({ slot, attested }) => (attested ? [{ ...attested, to: slot }] : []));
  if (ended.length === 0) return;
  await manager.query(INSERT_ATTESTED_RANGES, [
    ended.map(({ from }) => from),
    ended.map(({ to }) => to),
    ended.map(({ source }) => source),
    ended.map(({ transactions }) => transactions),
  ]);
}
