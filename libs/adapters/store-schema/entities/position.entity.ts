import { EntitySchema } from 'typeorm';
import { column, key } from './columns';

/** Where a consumer group stands in a partition. */
export interface PositionRow {
  consumerGroup: string;
  topic: string;
  partition: number;
  /** Raised by every consumer that takes the partition over. */
  epoch: string;
  nextOffset: string | null;
}

export const PositionEntity = new EntitySchema<PositionRow>({
  name: 'Position',
  tableName: 'positions',
  columns: {
    consumerGroup: key(column('text', 'consumer_group'), 'positions'),
    topic: key(column('text'), 'positions'),
    partition: key(column('integer'), 'positions'),
    epoch: column('bigint'),
    nextOffset: { ...column('bigint', 'next_offset'), nullable: true },
  },
});
