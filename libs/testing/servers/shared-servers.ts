import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@fresnel/adapters/local-servers/postgres';
import { KafkaServer, RedisServer } from '@fresnel/adapters/local-servers';
import { Client } from 'pg';

/**
 * Environment variable with the URL at which suites request their servers. Each path is the name of a server, and the answer is
 * its address.
 */
const URL_VARIABLE = 'FRESNEL_TEST_SERVERS_URL';

/** A started server and its address, in the form that its clients use. */
interface SharedServer {
  address: string;
  stop(): Promise<void>;
}

/** How to start each server on an empty folder. */
const STARTERS = {
  postgres: async (folder: string): Promise<SharedServer> => {
    const server = await EmbeddedPostgres.start(folder, () => undefined);
    await writeLazily(server.url);
    return { address: server.url, stop: () => server.stop() };
  },
  kafka: async (folder: string): Promise<SharedServer> => {
    const server = await KafkaServer.start({ folder });
    return { address: server.brokers.join(), stop: () => server.kill() };
  },
  redis: async (folder: string): Promise<SharedServer> => {
    const server = await RedisServer.start({ folder });
    return { address: server.url, stop: () => server.kill() };
  },
};

type ServerName = keyof typeof STARTERS;

/** No test has the shared server crash, and each database that is dropped would sync all files. */
async function writeLazily(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('ALTER SYSTEM SET fsync = off');
  await client.query('ALTER SYSTEM SET full_page_writes = off');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

/**
 * Lets the suites of this process and of its children share one Postgres, one Kafka and one Redis. Each server is started
 * when the first suite asks for it. Starts nothing if the variable names servers that run already (`npm run test:servers`).
 *
 * @param jvmOptions further options of the JVM of Kafka
 * @returns stops the servers that this process started, and deletes their data
 */
export async function provideSharedServers(jvmOptions?: string): Promise<() => Promise<void>> {
  if (process.env[URL_VARIABLE] !== undefined) return () => Promise.resolve();
  if (jvmOptions !== undefined) process.env.JDK_JAVA_OPTIONS = jvmOptions;
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-tests-'));
  const started = new Map<string, Promise<SharedServer>>();
  const start = (name: ServerName): Promise<SharedServer> => {
    const server = started.get(name) ?? STARTERS[name](mkdtempSync(join(folder, `${name}-`)));
    started.set(name, server);
    return server;
  };
  const provider = createServer((request, response) => {
    // A client would find a kept connection closed after a test that blocks its event loop for seconds.
    response.setHeader('connection', 'close');
    start(request.url?.slice(1) as ServerName).then(
      ({ address }) => response.end(address),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await listen(provider);
  process.env[URL_VARIABLE] = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  return async () => {
    delete process.env.FRESNEL_TEST_SERVERS_URL;
    provider.close();
    provider.closeAllConnections();
    const servers = await Promise.allSettled([...started.values()]);
    for (const server of servers) if (server.status === 'fulfilled') await server.value.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Listens on a free port. The provider does not keep the test run alive. */
function listen(server: Server): Promise<void> {
  server.unref();
  return new Promise((done) => server.listen(0, '127.0.0.1', done));
}

/** The shared Postgres. @returns a connection URL that may create databases */
export function sharedPostgres(): Promise<string> {
  return addressOf('postgres');
}

/** The shared broker, and the prefix of one suite. */
export interface SharedKafka {
  brokers: string[];
  clientId: string;
  /** Prefix for the topics and consumer groups of one suite. */
  prefix: string;
}

/** The shared Kafka, with a new prefix. Suites must not stop it. */
export async function sharedKafka(): Promise<SharedKafka> {
  return { brokers: (await addressOf('kafka')).split(','), clientId: 'tests', prefix: newPrefix() };
}

/** The shared Redis, and the prefix of one suite. */
export interface SharedRedis {
  url: string;
  /** Prefix for the keys of one suite. */
  prefix: string;
}

/** The shared Redis, with a new prefix. Suites must neither stop nor flush it. */
export async function sharedRedis(): Promise<SharedRedis> {
  return { url: await addressOf('redis'), prefix: newPrefix() };
}

/** A prefix that no other suite uses. */
export function newPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}.`;
}

async function addressOf(name: ServerName): Promise<string> {
  const provider = process.env[URL_VARIABLE];
  if (!provider) throw new Error(`${URL_VARIABLE} is not set: run this suite with the repository's jest configuration`);
  const response = await fetch(`${provider}/${name}`).catch((error: unknown) => {
    throw new Error(`no servers at ${provider}, which ${URL_VARIABLE} names`, { cause: error });
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the shared ${name} cannot be started: ${text}`);
  return text;
}
