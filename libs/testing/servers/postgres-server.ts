import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../adapters/embedded-postgres/embedded-postgres';
// Jest loads this file before its module names work.

/** Where suites find the server. */
export const SERVER_URL_VARIABLE = 'FRESNEL_TEST_POSTGRES_URL';

/** A real Postgres for one test run; its data go away with it. */
export async function startPostgresServer(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-tests-'));
  const server = await EmbeddedPostgres.start(folder, () => undefined);
  process.env[SERVER_URL_VARIABLE] = server.url;
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
