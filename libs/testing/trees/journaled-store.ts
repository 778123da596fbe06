import { PostgresTreeJournal, RedisTreeStore, type TreeStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Redis } from 'ioredis';
import { type DataSource } from 'typeorm';

/** A store in Redis that journals to Postgres, as the prover that writes has it. */
export function journaledStore(redis: Redis, dataSource: DataSource): TreeStore {
  const journal = new PostgresTreeJournal(dataSource);
  return new RedisTreeStore(
    redis,
    poseidon,
    {},
    {
      open: () => Promise.resolve(),
      claimPosition: (partition) => journal.claimPosition(partition),
      persist: (commit) => journal.persist(commit),
      readPartition: (partition) => journal.readPartition(partition),
      trees: journal.trees,
      onTree: () => undefined,
    },
  );
}
