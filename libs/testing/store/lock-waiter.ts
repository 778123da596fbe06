import { type DataSource } from 'typeorm';

/** Settles when a session of this database waits for a lock, or as many as are given. */
export async function whenSomebodyWaits(dataSource: DataSource, sessions = 1): Promise<void> {
  const waiters = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await dataSource.query<object[]>(waiters)).length < sessions) await new Promise(setImmediate);
}
