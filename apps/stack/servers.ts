import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@fresnel/adapters/embedded-postgres';
import { KafkaServer, RedisServer } from '@fresnel/adapters/local-servers';
import { type Logger } from '@fresnel/platform';

/** Addresses of servers that are there already. */
export interface GivenServers {
  kafkaBrokers: string | undefined;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
}

export interface Servers {
  kafkaBrokers: string;
  databaseUrl: string;
  redisUrl: string;
  /** Names the server of ours that is gone, when one is. */
  whenGone: Promise<string>;
  stop(): Promise<void>;
}

interface Started {
  name: string;
  address: string;
  whenGone(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the servers that are not given, with all their data below one folder. @throws LocalServerError, EmbeddedPostgresError */
export async function startServers(given: GivenServers, dataDir: string, logger: Logger): Promise<Servers> {
  const started: Started[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const open = async (name: string, start: (folder: string) => Promise<Omit<Started, 'name'>>) => {
    const folder = join(dataDir, name);
    mkdirSync(folder, { recursive: true });
    const server = await start(folder);
    started.push({ name, ...server });
    logger.info({ server: name, folder }, 'server started');
    return server.address;
  };
  try {
    const [databaseUrl, kafkaBrokers, redisUrl] = await Promise.all([
      given.databaseUrl ?? open('postgres', startPostgres),
      given.kafkaBrokers ?? open('kafka', startKafka),
      given.redisUrl ?? open('redis', startRedis),
    ]);
    const whenGone = Promise.race(started.map((server) => server.whenGone().then(() => server.name)));
    return { kafkaBrokers, databaseUrl, redisUrl, whenGone, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPostgres(folder: string): Promise<Omit<Started, 'name'>> {
  const server = await EmbeddedPostgres.start(folder, () => undefined);
  return { address: server.url, whenGone: () => server.whenGone(), stop: () => server.stop() };
}

async function startKafka(folder: string): Promise<Omit<Started, 'name'>> {
  const server = await KafkaServer.start({ folder });
  return { address: server.brokers.join(), whenGone: () => server.whenGone(), stop: () => server.stop() };
}

async function startRedis(folder: string): Promise<Omit<Started, 'name'>> {
  const server = await RedisServer.start({ folder });
  return { address: server.url, whenGone: () => server.whenGone(), stop: () => server.stop() };
}
