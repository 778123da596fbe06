import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { LocalServerError } from './local-server.error';
import { KafkaServer } from './kafka-server';
import { RedisServer } from './redis-server';
import { requireProgram, startServer } from './start-server';

const ROOT = resolve(__dirname, '../../..');

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Sends a command to Redis and returns its reply. */
async function ask(url: string, line: string): Promise<string> {
  const socket = await open(url);
  socket.write(`${line}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().trim();
}

async function topicsOf({ brokers }: KafkaServer, create?: string): Promise<string[]> {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    if (create) await admin.createTopics({ topics: [{ topic: create, numPartitions: 1 }], waitForLeaders: true });
    return await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}

/** Resolves when no server listens any more. The time limit is that of the test. */
async function waitUntilClosed(url: string): Promise<void> {
  for (;;) {
    try {
      const socket = await open(url);
      await once(socket, 'close');
    } catch {
      return;
    }
  }
}

async function firstLineOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('no output to read');
  const [chunk] = (await once(stdout.setEncoding('utf8'), 'data')) as [string];
  return chunk.trim();
}

describe('local servers', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-servers-'));
  });
  const started: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<KafkaServer> {
    const server = await KafkaServer.start({ folder });
    started.push(server);
    return server;
  }

  it('run a Redis that loses its data when it stops', async () => {
    const first = await RedisServer.start({ folder });
    expect(await ask(first.url, 'SET a 1')).toBe('+OK');
    await first.stop();
    await first.exited();
    await expect(open(first.url)).rejects.toThrow('ECONNREFUSED');
    const second = await RedisServer.start({ folder, port: Number(new URL(first.url).port) });
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'GET a')).toBe('$-1');
    await second.stop();
  });

  it('run a Redis that keeps its data in its folder', async () => {
    const first = await RedisServer.start({ folder, keepsData: true });
    expect(await ask(first.url, 'SET a 1')).toBe('+OK');
    await first.stop();
    const second = await RedisServer.start({ folder, keepsData: true });
    expect(await ask(second.url, 'STRLEN a')).toBe(':1');
    await second.stop();
  });

  it('run a Kafka that keeps its data after a stop and after a crash', async () => {
    const first = await start();
    expect(await topicsOf(first, 'kept')).toEqual(['kept']);
    await first.stop();
    const second = await start();
    expect(await topicsOf(second)).toEqual(['kept']);
    await second.kill();
    const third = await start();
    expect(await topicsOf(third)).toEqual(['kept']);
    await third.stop();
  });

  it('stop when their parent process is killed', async () => {
    const script = `
      require('./tools/register.cjs');
      const { RedisServer } = require('./libs/adapters/local-servers/index.ts');
      RedisServer.start({ folder: ${JSON.stringify(folder)} }).then(({ url }) => console.log(url));
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['-e', script], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await firstLineOf(parent);
    expect(await ask(url, 'PING')).toBe('+PONG');
    parent.kill('SIGKILL');
    await waitUntilClosed(url);
  });

  it('throw an error with the command that installs a missing program', () => {
    expect(() => {
      requireProgram('fresnel-no-such-server', 'apt-get install -y it');
    }).toThrow(new LocalServerError('fresnel-no-such-server is missing: apt-get install -y it'));
  });

  it('throw an error with the output of a server that cannot start', async () => {
    const starting = startServer('Echo', folder, { program: 'echo', args: ['out of order'], readyLine: /ready/ });
    await expect(starting).rejects.toThrow(`Echo in ${folder} exited at once: out of order`);
  });
});
