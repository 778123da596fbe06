import { isReadOnlyRedis } from '@fresnel/platform';
import { Redis } from 'ioredis';

export interface TreeRedisOptions {
  /** `redis:`, or `rediss:` for TLS. */
  url: string;
  /** Must be longer than the largest commit takes, and shorter than callers wait. */
  commandTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 2_000;
const MAX_PAUSE_MS = 1_000;

/**
 * Creates a connection that never queues commands: they fail at once while Redis is unreachable, and after the timeout
 * without a response. Reconnects forever.
 *
 * @returns a connection that is not open yet
 */
export function createTreeRedis({ url, commandTimeoutMs = COMMAND_TIMEOUT_MS }: TreeRedisOptions): Redis {
  return new Redis(url, {
    connectionName: 'fresnel-trees',
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: commandTimeoutMs,
    // Detects a server that disappeared without closing the connection. Otherwise each command would run into its own
    // timeout.
    socketTimeout: commandTimeoutMs,
    // The caller retries the whole commit in order.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE_MS),
    reconnectOnError: isReadOnlyRedis,
  });
}
