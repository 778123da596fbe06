import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@fresnel/adapters/local-servers/postgres';
import { TcpLink } from '@fresnel/testing/generic';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';
import { Client } from 'pg';

/** Kills the process of the embedded Postgres that serves a connection of the test. */
async function crashBackend(dataDir: string): Promise<void> {
  const client = new Client(EmbeddedPostgres.findRunning(dataDir) ?? 'postgres://none');
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  process.kill(rows[0].pid, 'SIGKILL');
}

describe('npm start', () => {
  it('goes on at its address after a process of the embedded Postgres has crashed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-crash-'));
    const fresnel = FresnelProcess.start([], { FRESNEL_DATA_DIR: folder });
    await fresnel.waitForSlot(1_010);
    for (const [crashes, slot] of [
      [1, 1_100],
      [2, 1_200],
    ]) {
      await crashBackend(folder);
      await fresnel.waitFor(
        new RegExp(`(starting again from the stored position[^]*gateway listening[^]*){${crashes}}`),
      );
      await fresnel.waitForSlot(slot);
    }
    expect((await fresnel.end('SIGTERM')).code).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('waits for DATABASE_URL, and names the reason', async () => {
    const database = await createTestDatabase({ migrated: false });
    const link = await TcpLink.to(database.url);
    await link.cut();
    const fresnel = FresnelProcess.start([], { DATABASE_URL: link.url });
    await fresnel.waitFor(/ECONNREFUSED.*dependency unavailable, retrying/);
    await link.restore();
    await fresnel.waitForSlot(1_000);
    expect((await fresnel.end('SIGTERM')).code).toBe(0);
    await link.cut();
    await database.drop();
  });

  it('stops while it waits for DATABASE_URL', async () => {
    const fresnel = FresnelProcess.start([], { DATABASE_URL: 'postgres://fresnel@127.0.0.1:1/fresnel' });
    await fresnel.waitFor(/dependency unavailable, retrying/);
    const { code, stderr } = await fresnel.end('SIGTERM');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('process failed')]);
  });
});
