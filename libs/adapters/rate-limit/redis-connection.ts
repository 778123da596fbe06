import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 1_000;
/** More than Redis needs for a script of four commands, and little for a caller. */
const COMMAND_TIMEOUT_MS = 500;
const MAX_PAUSE_MS = 1_000;
/** Commands in flight fail after this time. A process that disconnects is stopping and should not wait. */
const DISCONNECT_TIMEOUT_MS = 100;

/**
 * Creates a connection that never queues commands: they fail at once while Redis is unreachable, and after half a
 * second without a response. Reconnects forever.
 *
 * @param url `redis:` or `rediss:`
 * @returns a connection that is not open yet
 */
export function createRedisConnection(url: string): Redis {
  return new Redis(url, {
    connectionName: 'fresnel-rate-limit',
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // Detects a server that disappeared without closing the connection. Otherwise each command would run into its own
    // timeout.
    socketTimeout: COMMAND_TIMEOUT_MS,
    // A command whose response was lost may have been counted. A retry would count it twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE_MS),
    // After a failover the old primary still responds, but rejects writes.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}
