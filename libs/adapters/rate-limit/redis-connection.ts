import { isReadOnlyRedis } from '@fresnel/platform';
import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 1_000;
const MAX_PAUSE_MS = 1_000;
/** Commands in flight fail after this time. A process that disconnects is stopping and should not wait. */
const DISCONNECT_TIMEOUT_MS = 100;

/**
 * Creates a connection that never queues commands: they fail at once while Redis is unreachable, and after a time without a
 * response. Reconnects forever.
 *
 * @param url `redis:` or `rediss:`
 * @param timeoutMs how long Redis may take to respond to a command
 * @returns a connection that is not open yet
 */
export function createRedisConnection(url: string, timeoutMs: number): Redis {
  return new Redis(url, {
    connectionName: 'fresnel-rate-limit',
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    commandTimeout: timeoutMs,
    // Detects a server that disappeared without closing the connection. Otherwise each command would run into its own
    // timeout.
    socketTimeout: timeoutMs,
    // A command whose response was lost may have been counted. A retry would count it twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE_MS),
    reconnectOnError: isReadOnlyRedis,
  });
}
