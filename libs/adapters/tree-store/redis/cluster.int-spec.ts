import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@fresnel/platform';
import { describeTreeStoreContract } from '../tree-store.contract';
import { sha256 } from '@fresnel/testing/trees';
import { Cluster, Redis } from 'ioredis';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { RedisTreeStore } from './redis.tree-store';

/** Starts a cluster of one node. Like a larger cluster, it rejects scripts with keys in several hash slots. */
async function startCluster() {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-cluster-'));
  const [port, busPort] = [await findFreePort(), await findFreePort()];
  const settings = [
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    String(busPort),
    '--cluster-announce-ip',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
  ];
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...settings]);
  server.stdout.resume();
  const admin = new Redis(port, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  admin.on('error', () => undefined);
  await admin.cluster('ADDSLOTSRANGE', 0, 16_383);
  while (!(await admin.cluster('INFO')).includes('cluster_state:ok')) await sleep(20);
  return {
    port,
    flush: () => admin.flushall(),
    drop: async () => {
      admin.disconnect();
      server.kill('SIGKILL');
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let cluster: Awaited<ReturnType<typeof startCluster>>;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.drop());

describeTreeStoreContract('RedisTreeStore in a cluster', async () => {
  await cluster.flush();
  const connections: Cluster[] = [];
  const journal = new InMemoryTreeJournal();
  const open = async () => {
    const connection = new Cluster([{ host: '127.0.0.1', port: cluster.port }], { lazyConnect: true });
    connections.push(connection);
    await connection.connect();
    return new RedisTreeStore(connection, sha256, { prefix: 'staging:' }, journal);
  };
  const close = () => {
    for (const connection of connections) connection.disconnect();
    return Promise.resolve();
  };
  return { store: await open(), reopen: open, close };
});
