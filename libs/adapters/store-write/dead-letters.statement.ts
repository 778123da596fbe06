import { type DeadLetter } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

const INSERT_DEAD_LETTERS = `
  INSERT INTO dead_letters (slot, block_index, signature, reasons, json)
  SELECT slot, block_index, signature, reasons::text[], json
  FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::text[], $5::text[])
    AS list (slot, block_index, signature, reasons, json)
  ORDER BY slot, block_index
  ON CONFLICT (slot, block_index) DO NOTHING`;

export type DeadLetterInSlot = DeadLetter & { slot: number };

/** Stores transactions that could not be parsed, with the reasons. */
export async function insertDeadLetters(
  manager: EntityManager,
  deadLetters: readonly DeadLetterInSlot[],
): Promise<void> {
  if (deadLetters.length === 0) return;
  await manager.query(INSERT_DEAD_LETTERS, [
    deadLetters.map(({ slot }) => slot),
    deadLetters.map(({ index }) => index),
    deadLetters.map(({ signature }) => signature),
    deadLetters.map(({ reasons }) => toTextArrayLiteral(reasons)),
    deadLetters.map(({ json }) => json),
  ]);
}

/** The transactions of the slots that are parsed completely by now. */
const DELETE_OTHER_DEAD_LETTERS = `
  DELETE FROM dead_letters d
  WHERE d.slot = ANY ($1::bigint[])
    AND NOT EXISTS (
      SELECT FROM unnest($2::bigint[], $3::integer[]) AS list (slot, block_index)
      WHERE list.slot = d.slot AND list.block_index = d.block_index)`;

/** A transaction may be parsed further than before, and still not completely. */
const UPDATE_DEAD_LETTERS = `
  UPDATE dead_letters d SET reasons = list.reasons::text[]
  FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS list (slot, block_index, reasons)
  WHERE d.slot = list.slot AND d.block_index = list.block_index AND d.reasons <> list.reasons::text[]`;

/**
 * Deletes the dead letters of stored slots, except the listed ones, whose reasons it updates. It stores no other dead letter:
 * the transaction was parsed completely before.
 */
export async function updateDeadLetters(
  manager: EntityManager,
  slots: readonly number[],
  remaining: readonly DeadLetterInSlot[],
): Promise<void> {
  if (slots.length === 0) return;
  const places = [remaining.map(({ slot }) => slot), remaining.map(({ index }) => index)];
  await manager.query(DELETE_OTHER_DEAD_LETTERS, [slots, ...places]);
  if (remaining.length === 0) return;
  await manager.query(UPDATE_DEAD_LETTERS, [...places, remaining.map(({ reasons }) => toTextArrayLiteral(reasons))]);
}

function toTextArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

export const DELETE_DEAD_LETTERS = `DELETE FROM dead_letters WHERE slot = ANY ($1::bigint[])`;

/** Deletes the dead letters of slots. */
export async function deleteDeadLetters(manager: EntityManager, slots: readonly number[]): Promise<void> {
  await manager.query(DELETE_DEAD_LETTERS, [slots]);
}
