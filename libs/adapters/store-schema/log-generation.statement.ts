import { FIRST_GENERATION } from '@fresnel/contracts/messages';
import { type EntityManager } from 'typeorm';

/** @returns the generation of a log, whose topic has this name in the cluster */
export async function findLogGeneration(manager: EntityManager, topic: string): Promise<number> {
  const rows = await manager.query<{ generation: string }[]>(
    `SELECT generation FROM log_generations WHERE topic = $1`,
    [topic],
  );
  return Number(rows.at(0)?.generation ?? FIRST_GENERATION);
}

/** @returns the generations of all logs whose positions were reset, by the name of the topic */
export async function findLogGenerations(manager: EntityManager): Promise<Map<string, number>> {
  const rows = await manager.query<{ topic: string; generation: string }[]>(
    `SELECT topic, generation FROM log_generations`,
  );
  return new Map(rows.map(({ topic, generation }) => [topic, Number(generation)]));
}

/** The time is part of it, so that no generation repeats after the database has lost one. */
const START_GENERATION = `
  INSERT INTO log_generations AS l (topic, generation) VALUES ($1, extract(epoch FROM clock_timestamp())::bigint)
  ON CONFLICT (topic) DO UPDATE SET generation = greatest(l.generation + 1, excluded.generation)
  RETURNING generation`;

/** Starts the next generation of a log, in the transaction that resets its positions. */
export async function startLogGeneration(manager: EntityManager, topic: string): Promise<number> {
  const [{ generation }] = await manager.query<{ generation: string }[]>(START_GENERATION, [topic]);
  return Number(generation);
}
