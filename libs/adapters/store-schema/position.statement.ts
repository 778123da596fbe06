import { FencedError, type ClaimedPosition } from '@fresnel/contracts/messages';
import { type Slot } from '@fresnel/domain/primitives';
import { type EntityManager } from 'typeorm';

/** Identifies the position of a consumer group in a partition. */
export interface PositionKey {
  consumerGroup: string;
  /** Name of the topic in the cluster, with KAFKA_PREFIX. */
  topic: string;
  partition: number;
}

/** The move of a position over one batch of records. */
export interface PositionMove extends PositionKey {
  epoch: bigint;
  /** Offset of the first record of the batch. The position must be here. */
  from: bigint;
  /** Offset after the last record of the batch. */
  to: bigint;
}

const CLAIM_POSITION = `
  INSERT INTO positions AS p (consumer_group, topic, partition, epoch) VALUES ($1, $2, $3, 1)
  ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET epoch = p.epoch + 1
  RETURNING next_offset, epoch`;

/** Claims a position for the caller: a new epoch, which fences the consumer that claimed it before. */
export async function claimPosition(manager: EntityManager, key: PositionKey): Promise<ClaimedPosition> {
  const { consumerGroup, topic, partition } = key;
  const [row] = await manager.query<{ next_offset: string | null; epoch: string }[]>(CLAIM_POSITION, [
    consumerGroup,
    topic,
    partition,
  ]);
  return { offset: row.next_offset === null ? null : BigInt(row.next_offset), epoch: BigInt(row.epoch) };
}

/**
 * A position without an offset is at 0: only a batch that starts with the first record of the log moves it. If a failover of the
 * database loses the first commit, the next batch is refused. Accepts a position that is already at `to` in the same epoch: this
 * consumer committed, and the response was lost.
 */
const MOVE_POSITION = `
  WITH moved AS (
    UPDATE positions SET next_offset = $6, slot = greatest(slot, $7)
    WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND epoch = $4
      AND coalesce(next_offset, 0) IN ($5, $6)
    RETURNING 1)
  SELECT count(*)::int AS moved FROM moved`;

/**
 * Moves a position by compare-and-set.
 *
 * @param slot the newest one of the batch; null: it has none
 * @throws FencedError
 */
export async function movePosition(manager: EntityManager, move: PositionMove, slot: Slot | null): Promise<void> {
  const { consumerGroup, topic, partition, epoch, from, to } = move;
  const values = [consumerGroup, topic, partition, epoch, from, to, slot];
  const [{ moved }] = await manager.query<{ moved: number }[]>(MOVE_POSITION, values);
  if (moved === 0) {
    throw new FencedError(
      `the position of ${consumerGroup} in ${topic}/${partition} is not ${from}, or another consumer claimed the partition`,
    );
  }
}

/** A position without an offset is at 0. */
const ADVANCE_POSITION = `
  WITH moved AS (
    INSERT INTO positions AS p (consumer_group, topic, partition, epoch, next_offset, slot)
    SELECT $1, $2, $3, 0, $5, $6 WHERE $4::bigint = 0 OR EXISTS (
      SELECT FROM positions WHERE consumer_group = $1 AND topic = $2 AND partition = $3)
    ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET next_offset = $5, slot = greatest(p.slot, $6)
    WHERE coalesce(p.next_offset, 0) = $4
    RETURNING 1)
  SELECT count(*)::int AS moved FROM moved`;

/**
 * Moves a position by compare-and-set, without an epoch: for a consumer whose data fence other writers. A position without an offset
 * is at 0.
 *
 * @param slot see `movePosition`
 * @throws FencedError
 */
export async function advancePosition(
  manager: EntityManager,
  move: Omit<PositionMove, 'epoch'>,
  slot: Slot | null,
): Promise<void> {
  const { consumerGroup, topic, partition, from, to } = move;
  const values = [consumerGroup, topic, partition, from, to, slot];
  const [{ moved }] = await manager.query<{ moved: number }[]>(ADVANCE_POSITION, values);
  if (moved === 0) throw new FencedError(`the position of ${consumerGroup} in ${topic}/${partition} is not ${from}`);
}

const FIND_POSITION = `
  SELECT next_offset FROM positions WHERE consumer_group = $1 AND topic = $2 AND partition = $3`;

/** The offset of the next record that a group reads in a partition; null before its first batch. */
export async function findPosition(manager: EntityManager, key: PositionKey): Promise<bigint | null> {
  const { consumerGroup, topic, partition } = key;
  const rows = await manager.query<{ next_offset: string | null }[]>(FIND_POSITION, [consumerGroup, topic, partition]);
  const offset = rows.at(0)?.next_offset ?? null;
  return offset === null ? null : BigInt(offset);
}

const FIND_POSITIONS = `
  SELECT partition, next_offset FROM positions
  WHERE consumer_group = $1 AND topic = $2 AND next_offset IS NOT NULL ORDER BY partition`;

/** The positions of a group in a topic, by partition, without those partitions of which it has read nothing. */
export async function findPositions(
  manager: EntityManager,
  { consumerGroup, topic }: Omit<PositionKey, 'partition'>,
): Promise<Map<number, bigint>> {
  const rows = await manager.query<{ partition: number; next_offset: string }[]>(FIND_POSITIONS, [
    consumerGroup,
    topic,
  ]);
  return new Map(rows.map(({ partition, next_offset: offset }) => [partition, BigInt(offset)]));
}

const SET_POSITIONS = `
  INSERT INTO positions AS p (consumer_group, topic, partition, epoch, next_offset)
  SELECT $1, $2, partition, 1, next_offset FROM unnest($3::integer[], $4::bigint[]) AS list (partition, next_offset)
  ON CONFLICT (consumer_group, topic, partition)
    DO UPDATE SET epoch = p.epoch + 1, next_offset = excluded.next_offset, slot = NULL`;

/** Sets the positions of a group in a topic, by partition, and fences its consumers. */
export async function setPositions(
  manager: EntityManager,
  { consumerGroup, topic }: Omit<PositionKey, 'partition'>,
  offsets: ReadonlyMap<number, bigint>,
): Promise<void> {
  await manager.query(SET_POSITIONS, [consumerGroup, topic, [...offsets.keys()], [...offsets.values()]]);
}

/** The position of a consumer group in a partition. */
export interface StoredPosition extends PositionKey {
  /** Null before the first batch. */
  nextOffset: bigint | null;
}

/** Lists all positions, also of topics that are no longer used. */
export async function listPositions(manager: EntityManager): Promise<StoredPosition[]> {
  const rows = await manager.query<
    { consumer_group: string; topic: string; partition: number; next_offset: string | null }[]
  >(`SELECT consumer_group, topic, partition, next_offset FROM positions ORDER BY 1, 2, 3`);
  return rows.map(({ consumer_group: consumerGroup, topic, partition, next_offset: offset }) => ({
    consumerGroup,
    topic,
    partition,
    nextOffset: offset === null ? null : BigInt(offset),
  }));
}
