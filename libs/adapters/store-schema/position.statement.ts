import { FresnelError } from '@fresnel/domain/primitives';
import { type EntityManager } from 'typeorm';
import { PositionEntity } from './entities/position.entity';

/** A step of a consumer group in a partition. */
export interface PositionMove {
  consumerGroup: string;
  topic: string;
  partition: number;
  /** Offset of the first record of the batch: where the position must be. */
  from: bigint;
  /** Offset behind its last record. */
  to: bigint;
}

/** The position was not where the batch begins: another consumer has taken over. Nothing was written. */
export class StalePositionError extends FresnelError {
  readonly code = 'stale-position';
  readonly isRetryable = false;
}

const MOVE_POSITION = `
  INSERT INTO positions AS p (consumer_group, topic, partition, next_offset)
  VALUES ($1, $2, $3, $5)
  ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET next_offset = excluded.next_offset
  WHERE p.next_offset = $4 OR ($6 AND p.next_offset = $5)
  RETURNING next_offset`;

/**
 * Moves a position by compare-and-set. Where there is none yet, it begins behind the batch.
 *
 * @param mayRepeat lets a batch through that ends where the position stands already, as one does whose commit was done
 *   and its answer lost; for data that do not change when they are written again
 * @throws StalePositionError
 */
export async function movePosition(
  manager: EntityManager,
  move: PositionMove,
  { mayRepeat = false } = {},
): Promise<void> {
  const { consumerGroup, topic, partition, from, to } = move;
  const moved = await manager.query<unknown[]>(MOVE_POSITION, [consumerGroup, topic, partition, from, to, mayRepeat]);
  if (moved.length === 0) {
    throw new StalePositionError(`${consumerGroup} no longer stands at ${from} of ${topic}/${partition}`);
  }
}

/** Where a group goes on in a partition, null before its first batch. */
export async function findPosition(
  manager: EntityManager,
  consumerGroup: string,
  topic: string,
  partition: number,
): Promise<bigint | null> {
  const row = await manager.findOneBy(PositionEntity, { consumerGroup, topic, partition });
  return row && BigInt(row.nextOffset);
}
