import { PostgresTreeJournal, RedisTreeStore, toTreeLog, type TreeStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Redis } from 'ioredis';
import { type DataSource } from 'typeorm';

/** A store in Redis that follows a journal in Postgres, as the prover that writes has it. */
export function journaledStore(redis: Redis, dataSource: DataSource): TreeStore {
  return new RedisTreeStore(redis, poseidon, {}, new PostgresTreeJournal(dataSource, toTreeLog()));
}
