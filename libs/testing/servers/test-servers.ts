import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KafkaServer, RedisServer } from '@fresnel/adapters/local-servers';

/** A broker for one suite. */
export interface TestKafka {
  brokers: string[];
  /** The bytes of the records that each partition of a topic stores, by the partition's number. */
  bytesOf(topicName: string): number[];
  /** Starts the broker again on its port and its data, after `stop` or `kill`. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the broker, like a crash. */
  kill(): Promise<void>;
  /** Kills the broker and deletes its data. */
  drop(): Promise<void>;
}

/**
 * Starts a broker for a suite, with a folder of its own. Call `drop` when the suite ends.
 *
 * @param settings settings of the broker
 */
export async function startTestKafka(settings: Readonly<Record<string, string>> = {}): Promise<TestKafka> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-kafka-'));
  let server = await KafkaServer.start({ folder, settings });
  const { brokers } = server;
  const port = Number(brokers[0].split(':')[1]);
  return {
    brokers,
    bytesOf: (topicName) => bytesOfTopic(join(folder, 'data'), topicName),
    restart: async () => {
      server = await KafkaServer.start({ folder, port, settings });
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

/** Sums the sizes of the segments of each partition. The broker may delete a segment meanwhile. */
function bytesOfTopic(data: string, topicName: string): number[] {
  const bytes: number[] = [];
  for (const folder of readdirSync(data)) {
    const [name, partition] = [folder.slice(0, folder.lastIndexOf('-')), folder.slice(folder.lastIndexOf('-') + 1)];
    if (name !== topicName) continue;
    const segments = readdirSync(join(data, folder)).filter((file) => file.endsWith('.log'));
    const sizes = segments.map((file) => statSync(join(data, folder, file), { throwIfNoEntry: false })?.size ?? 0);
    bytes[Number(partition)] = sizes.reduce((sum, size) => sum + size, 0);
  }
  return bytes;
}
