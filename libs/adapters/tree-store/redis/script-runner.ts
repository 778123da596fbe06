import { createHash } from 'node:crypto';
import { messageOf } from '@fresnel/domain/primitives';
import { isRedisOutage } from '@fresnel/platform';
import { TreeStoreDamagedError, TreeStoreUnavailableError } from '../tree-store.errors';

/** The used methods of a connection to a server or a cluster. */
export interface RedisCommands {
  callBuffer(command: string, ...args: (string | Buffer)[]): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
}

/** A Lua script and its SHA-1, by which Redis caches it. */
export interface Script {
  source: string;
  sha: string;
}

export function defineScript(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/** Runs commands and scripts. Outages become retryable errors. */
export class ScriptRunner {
  /** The last error of the connection. Errors of commands do not contain it. */
  private connectionError: Error | null = null;

  constructor(private readonly redis: RedisCommands) {
    redis.on('error', (error) => (this.connectionError = error));
    redis.on('ready', () => (this.connectionError = null));
  }

  /** @throws TreeStoreUnavailableError */
  async command(name: string, ...args: (string | Buffer)[]): Promise<unknown> {
    try {
      return await this.redis.callBuffer(name, ...args);
    } catch (error) {
      if (!isRedisOutage(error)) throw error;
      const reason = messageOf(this.connectionError ?? error);
      throw new TreeStoreUnavailableError(`Redis is unavailable: ${reason}`, { cause: error });
    }
  }

  /**
   * Runs a script atomically.
   *
   * @param keys all on one node of a cluster
   * @throws TreeStoreUnavailableError
   */
  async run({ source, sha }: Script, keys: readonly string[], args: readonly (string | Buffer)[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.command('EVALSHA', sha, ...rest);
    } catch (error) {
      // A server loses its script cache when it restarts.
      if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
      return this.command('EVAL', source, ...rest);
    }
  }
}

/** @throws TreeStoreDamagedError when the reply has another type */
export function bytesOf(reply: unknown): Buffer {
  if (!Buffer.isBuffer(reply)) throw new TreeStoreDamagedError('Redis returned something other than bytes');
  return reply;
}

/** @throws TreeStoreDamagedError when the reply has another type */
export function listOf(reply: unknown): unknown[] {
  if (!Array.isArray(reply)) throw new TreeStoreDamagedError('Redis returned something other than a list');
  return reply;
}
