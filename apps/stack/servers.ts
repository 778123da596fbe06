import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { EmbeddedPostgres } from '@fresnel/adapters/local-servers/postgres';
import { KafkaServer, RedisServer } from '@fresnel/adapters/local-servers';
import { createReadRole } from '@fresnel/adapters/store-schema';
import { type Logger } from '@fresnel/platform';
import { type RunningProcess, RestartedProcess } from './restarted-process';

/** Addresses of servers that run already. */
export interface ExistingServers {
  kafkaBrokers: string | undefined;
  databaseUrl: string | undefined;
  databaseReadUrl: string | undefined;
  redisUrl: string | undefined;
}

export interface Servers {
  kafkaBrokers: string;
  databaseUrl: string;
  /** Connects as a read-only role if the stack started the server. */
  databaseReadUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

const READ_ROLE = 'fresnel_reader';

/** Starts a server on a folder. Without a port it uses a free one. */
type Start = (folder: string, port: number | undefined) => Promise<{ address: string; server: RunningProcess }>;

const START_POSTGRES: Start = async (folder, port) => {
  const server = await EmbeddedPostgres.start(folder, () => undefined, { port });
  return { address: server.url, server };
};

const START_KAFKA: Start = async (folder, port) => {
  const server = await KafkaServer.start({ folder, port });
  return { address: server.brokers.join(), server };
};

const START_REDIS: Start = async (folder, port) => {
  const server = await RedisServer.start({ folder, port, keepsData: true });
  return { address: server.url, server };
};

/**
 * Starts the servers that do not exist yet, with their data in subfolders of one folder, and keeps them running until `stop`.
 *
 * @throws LocalServerError, EmbeddedPostgresError
 */
export async function startServers(existing: ExistingServers, dataDir: string, logger: Logger): Promise<Servers> {
  const started: RestartedProcess[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const open = async (name: string, start: Start, existing: string | undefined) => {
    if (existing !== undefined) return existing;
    const folder = resolve(dataDir, name);
    mkdirSync(folder, { recursive: true });
    let port: number | undefined;
    let address = '';
    const startOnce = async () => {
      const started = await start(folder, port);
      address = started.address;
      port = portOf(address);
      logger.info({ server: name, folder, port }, 'server started');
      return started.server;
    };
    started.push(await RestartedProcess.start({ server: name }, startOnce, logger));
    return address;
  };
  const opening = [
    open('postgres', START_POSTGRES, existing.databaseUrl),
    open('kafka', START_KAFKA, existing.kafkaBrokers),
    open('redis', START_REDIS, existing.redisUrl),
  ] as const;
  try {
    const [databaseUrl, kafkaBrokers, redisUrl] = await Promise.all(opening);
    const isStartedHere = existing.databaseUrl === undefined;
    const readUrl = isStartedHere
      ? await createReadRole(databaseUrl, READ_ROLE)
      : (existing.databaseReadUrl ?? databaseUrl);
    return { databaseUrl, databaseReadUrl: readUrl, kafkaBrokers, redisUrl, stop };
  } catch (error) {
    await Promise.allSettled(opening);
    await stop();
    throw error;
  }
}

/** @param address a URL or host:port */
function portOf(address: string): number {
  return Number(new URL(address.includes('://') ? address : `tcp://${address}`).port);
}
