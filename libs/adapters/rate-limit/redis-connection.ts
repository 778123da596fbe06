import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 1_000;
/** Longer than Redis ever takes for a script of four commands, shorter than a caller notices. */
const COMMAND_TIMEOUT_MS = 500;
const LONGEST_PAUSE_MS = 1_000;
/** What is in flight is lost then; the process that hangs up is ending and shall not wait. */
const HANG_UP_TIMEOUT_MS = 100;

/**
 * A connection on which nothing waits: commands fail at once while Redis is away, within half a second when it falls
 * silent, and it is tried again for ever.
 *
 * @param url `redis:` or `rediss:`
 * @returns a connection that is not opened yet
 */
export function createRedisConnection(url: string): Redis {
  return new Redis(url, {
    connectionName: 'fresnel-rate-limit',
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: HANG_UP_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // A server that is cut off sends no goodbye; without this every command would run into its own timeout.
    socketTimeout: COMMAND_TIMEOUT_MS,
    // A command whose answer was lost may have been counted; sent again it would be counted twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, LONGEST_PAUSE_MS),
    // After a failover the old primary still answers, but takes no writes.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}
