import { type DataSource } from 'typeorm';

/** Waits until a number of sessions of this database wait for a lock. */
export async function waitForBlockedSessions(dataSource: DataSource, sessions = 1): Promise<void> {
  const waiters = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await dataSource.query<object[]>(waiters)).length < sessions) await new Promise(setImmediate);
}
