import { Redis } from 'ioredis';

export interface TreeRedisOptions {
  /** `redis:`, or `rediss:` for TLS. */
  url: string;
  /** Longer than the largest commit takes, shorter than a caller waits. */
  commandTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 2_000;
const LONGEST_PAUSE_MS = 1_000;

/**
 * A connection on which nothing waits for Redis to come back: commands fail at once while it is away, within the timeout
 * when it falls silent, and it is tried again for ever.
 *
 * @returns a connection that is not opened yet
 */
export function createTreeRedis({ url, commandTimeoutMs = COMMAND_TIMEOUT_MS }: TreeRedisOptions): Redis {
  return new Redis(url, {
    connectionName: 'fresnel-trees',
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: commandTimeoutMs,
    // A server that is cut off sends no goodbye; without this every command would run into its own timeout.
    socketTimeout: commandTimeoutMs,
    // Who asked repeats the whole commit, in its order.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, LONGEST_PAUSE_MS),
    // After a failover the old primary still answers, but takes no writes.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}
