import { StalePositionError, type TakenPosition } from '@fresnel/contracts/messages';
import { type EntityManager } from 'typeorm';
import { PositionEntity } from './entities/position.entity';

/** One consumer group's place in one partition. */
export interface PositionKey {
  consumerGroup: string;
  topic: string;
  partition: number;
}

/** A step of a consumer group in a partition. */
export interface PositionMove extends PositionKey {
  epoch: bigint;
  /** Offset of the first record of the batch: where the position must be. */
  from: bigint;
  /** Offset behind its last record. */
  to: bigint;
}

const CLAIM_POSITION = `
  INSERT INTO positions AS p (consumer_group, topic, partition, epoch) VALUES ($1, $2, $3, 1)
  ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET epoch = p.epoch + 1
  RETURNING next_offset, epoch`;

/** Makes the caller the one consumer that may move a position. Who had it before can move it no more. */
export async function claimPosition(manager: EntityManager, key: PositionKey): Promise<TakenPosition> {
  const { consumerGroup, topic, partition } = key;
  const [row] = await manager.query<{ next_offset: string | null; epoch: string }[]>(CLAIM_POSITION, [
    consumerGroup,
    topic,
    partition,
  ]);
  return { offset: row.next_offset === null ? null : BigInt(row.next_offset), epoch: BigInt(row.epoch) };
}

/** A position that stands at `to` within the epoch is our own: the commit was done, and only its answer lost. */
const MOVE_POSITION = `
  WITH moved AS (
    UPDATE positions SET next_offset = $6
    WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND epoch = $4
      AND (next_offset IS NULL OR next_offset IN ($5, $6))
    RETURNING 1)
  SELECT count(*)::int AS moved FROM moved`;

/**
 * Moves a position by compare-and-set. Where none is kept yet, it begins behind the batch.
 *
 * @throws StalePositionError
 */
export async function movePosition(manager: EntityManager, move: PositionMove): Promise<void> {
  const { consumerGroup, topic, partition, epoch, from, to } = move;
  const values = [consumerGroup, topic, partition, epoch, from, to];
  const [{ moved }] = await manager.query<{ moved: number }[]>(MOVE_POSITION, values);
  if (moved === 0) {
    throw new StalePositionError(`${consumerGroup} no longer stands at ${from} of ${topic}/${partition}`);
  }
}

/** Where a group goes on in a partition, null before its first batch. */
export async function findPosition(manager: EntityManager, key: PositionKey): Promise<bigint | null> {
  const { consumerGroup, topic, partition } = key;
  const row = await manager.findOneBy(PositionEntity, { consumerGroup, topic, partition });
  return row?.nextOffset ? BigInt(row.nextOffset) : null;
}
