import { Histogram, type Registry, SECONDS_BUCKETS } from '@fresnel/platform';
import { type RedisCommands } from '../redis/script-runner';

/** The server of a tree store: the `primary`, or the `replica` for proofs. */
export type RedisServerRole = 'primary' | 'replica';

/** @returns a function that measures the commands of a connection */
export function createCommandMeter(
  registry: Registry,
): (server: RedisServerRole, redis: RedisCommands) => RedisCommands {
  const duration = new Histogram({
    name: 'fresnel_prover_redis_seconds',
    help: 'Duration of Redis commands on trees by outcome: "ok" or "failed"',
    labelNames: ['server', 'command', 'outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  });
  return (server, redis) => ({
    callBuffer: async (command, ...args) => {
      const end = duration.startTimer({ server, command: command.toLowerCase() });
      try {
        const reply = await redis.callBuffer(command, ...args);
        end({ outcome: 'ok' });
        return reply;
      } catch (error) {
        end({ outcome: 'failed' });
        throw error;
      }
    },
    on: redis.on.bind<RedisCommands['on']>(redis),
  });
}
