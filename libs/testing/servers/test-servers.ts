import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KafkaServer, RedisServer } from '@fresnel/adapters/local-servers';

/** A broker for one suite. */
export interface TestKafka {
  brokers: string[];
  /** Starts the broker again on its port and its data, after `stop` or `kill`. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the broker, like a crash. */
  kill(): Promise<void>;
  /** Kills the broker and deletes its data. */
  drop(): Promise<void>;
}

/** Starts a broker for a suite, with a folder of its own. Call `drop` when the suite ends. */
export async function startTestKafka(): Promise<TestKafka> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-kafka-'));
  let server = await KafkaServer.start({ folder });
  const { brokers } = server;
  const port = Number(brokers[0].split(':')[1]);
  return {
    brokers,
    restart: async () => {
      server = await KafkaServer.start({ folder, port });
    },
    stop: () => server.stop(),
    kill: () => server.kill(),
    drop: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Redis for one suite. */
export interface TestRedis {
  url: string;
  /** Starts it again on its port, empty, after `stop`. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the Redis and deletes its data. */
  drop(): Promise<void>;
}

/** Starts a Redis for a suite. Call `drop` when the suite ends. */
export async function startTestRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-redis-'));
  let server = await RedisServer.start({ folder });
  const { url } = server;
  return {
    url,
    restart: async () => {
      server = await RedisServer.start({ folder, port: Number(new URL(url).port) });
    },
    stop: () => server.stop(),
    drop: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
