import { type Bench } from '@fresnel/testing/generic';
import { provideSharedServers, sharedKafka, sharedRedis } from '@fresnel/testing/servers';
import { type Environment, FresnelProcess, LONG_RUN_CHAIN, type LongRun, measureLongRun } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';
import { Redis } from 'ioredis';

export const bench: Bench = {
  title: 'Memory of the stack in a long run',
  data: `${LONG_RUN_CHAIN}, and calls after each block; one process of each service and their servers on this machine; Redis without the trees that it stores`,
  unit: 'transactions',
  prepare: async () => {
    // A heap that has all its memory from the start cannot be taken for one that grows.
    const stop = await provideSharedServers('-Xms512m -XX:+AlwaysPreTouch');
    const database = await createTestDatabase({ migrated: false });
    const redis = new Redis((await sharedRedis()).url);
    return {
      ways: [{ name: 'stack', run: () => measureLongRun(longRun(database.url, redis)), isOnce: true }],
      close: async () => {
        redis.disconnect();
        await database.drop();
        await stop();
      },
    };
  },
};

function longRun(databaseUrl: string, redis: Redis): LongRun {
  return {
    start: (env) => startStack(env, databaseUrl),
    nameProcess,
    healthPorts,
    storedBytes: async () => ({
      redis: Number(/^used_memory_dataset:(\d+)/m.exec(await redis.info('memory'))?.[1]),
    }),
  };
}

async function startStack(env: Environment, databaseUrl: string): Promise<FresnelProcess> {
  const [kafka, redis] = await Promise.all([sharedKafka(), sharedRedis()]);
  const servers = {
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: kafka.brokers.join(),
    KAFKA_PREFIX: kafka.prefix,
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.prefix,
  };
  const replicas = ['--replicas', 'ingest=1,projector=1,prover=1,gateway=1'];
  return FresnelProcess.start(replicas, { ...env, ...servers }, 'stack');
}

function healthPorts({ output }: FresnelProcess): Record<string, number> {
  const [, text] = /"healthPorts":(\{[^}]*\})/.exec(output) ?? [];
  const ports = Object.entries(JSON.parse(text) as Record<string, number[]>);
  return Object.fromEntries(ports.map(([service, [port]]) => [service, port]));
}

/** Names services by the log lines of the stack, and servers by their programs. */
function nameProcess({ output }: FresnelProcess): (pid: number, command: string) => string | null {
  const started = output.matchAll(/"service":"(\w+)","number":\d+,"pid":(\d+),"msg":"process started"/g);
  const services = new Map([...started].map(([, service, pid]) => [Number(pid), service]));
  return (pid, command) => {
    const service = services.get(pid);
    if (service !== undefined) return service;
    if (/kafka\.Kafka/.test(command)) return 'kafka';
    if (/redis-server/.test(command)) return 'redis';
    return /postgres/.test(command) ? 'postgres' : null;
  };
}
