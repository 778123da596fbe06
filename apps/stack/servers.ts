import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { EmbeddedPostgres } from '@fresnel/adapters/embedded-postgres';
import { KafkaServer, RedisServer } from '@fresnel/adapters/local-servers';
import { createReadRole } from '@fresnel/adapters/store-schema';
import { type Logger } from '@fresnel/platform';
import { KeptServer, type RunningServer } from './kept-server';

/** Addresses of servers that are there already. */
export interface GivenServers {
  kafkaBrokers: string | undefined;
  databaseUrl: string | undefined;
  databaseReadUrl: string | undefined;
  redisUrl: string | undefined;
}

export interface Servers {
  kafkaBrokers: string;
  databaseUrl: string;
  /** Of a role that may only read, where the database is ours. */
  databaseReadUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

const READ_ROLE = 'fresnel_reader';

/** Starts a server on a folder, on a free port where none is given. */
type Start = (folder: string, port: number | undefined) => Promise<RunningServer & { address: string }>;

/**
 * Starts the servers that are not given, with all their data below one folder, and keeps them running until `stop`.
 *
 * @throws LocalServerError, EmbeddedPostgresError
 */
export async function startServers(given: GivenServers, dataDir: string, logger: Logger): Promise<Servers> {
  const started: KeptServer[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const open = async (name: string, start: Start, given: string | undefined) => {
    if (given !== undefined) return given;
    const folder = resolve(dataDir, name);
    mkdirSync(folder, { recursive: true });
    const server = await start(folder, undefined);
    const port = Number(new URL(server.address.includes('://') ? server.address : `tcp://${server.address}`).port);
    started.push(new KeptServer(name, server, () => start(folder, port), logger));
    logger.info({ server: name, folder, port }, 'server started');
    return server.address;
  };
  const opening = [
    open('postgres', startPostgres, given.databaseUrl),
    open('kafka', startKafka, given.kafkaBrokers),
    open('redis', startRedis, given.redisUrl),
  ] as const;
  try {
    const [databaseUrl, kafkaBrokers, redisUrl] = await Promise.all(opening);
    const isOurs = given.databaseUrl === undefined;
    const readUrl = isOurs ? await createReadRole(databaseUrl, READ_ROLE) : (given.databaseReadUrl ?? databaseUrl);
    return { databaseUrl, databaseReadUrl: readUrl, kafkaBrokers, redisUrl, stop };
  } catch (error) {
    await Promise.allSettled(opening);
    await stop();
    throw error;
  }
}

const startPostgres: Start = async (folder, port) => {
  const server = await EmbeddedPostgres.start(folder, () => undefined, { port });
  return { address: server.url, whenGone: () => server.whenGone(), stop: () => server.stop() };
};

const startKafka: Start = async (folder, port) => {
  const server = await KafkaServer.start({ folder, port });
  return { address: server.brokers.join(), whenGone: () => server.whenGone(), stop: () => server.stop() };
};

const startRedis: Start = async (folder, port) => {
  const server = await RedisServer.start({ folder, port, keepsData: true });
  return { address: server.url, whenGone: () => server.whenGone(), stop: () => server.stop() };
};
