import { createHash } from 'node:crypto';
import { messageOf } from '@fresnel/domain/primitives';
import { TreeStoreDamagedError, TreeStoreUnavailableError } from './errors';

/** What is asked of a connection, to one server or to a cluster. */
export interface RedisCommands {
  callBuffer(command: string, ...args: (string | Buffer)[]): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
}

/** A Lua script, known to Redis by its hash. */
export interface Script {
  source: string;
  sha: string;
}

export function defineScript(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/** Answers of a server that is starting, failing over, or out of room. */
const AWAY = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY)\b/;

/** Asks Redis, and says of every failure whether trying again can help. */
export class ScriptRunner {
  /** Why there is no connection, which a command that finds none does not know. */
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
      if (!isOutage(error)) throw error;
      const reason = messageOf(this.connectionError ?? error);
      throw new TreeStoreUnavailableError(`Redis does not answer: ${reason}`, { cause: error });
    }
  }

  /**
   * Runs a script in one atomic step.
   *
   * @param keys all on one node of a cluster
   * @throws TreeStoreUnavailableError
   */
  async run({ source, sha }: Script, keys: readonly string[], args: readonly (string | Buffer)[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.command('EVALSHA', sha, ...rest);
    } catch (error) {
      // A server forgets scripts when it starts again.
      if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
      return this.command('EVAL', source, ...rest);
    }
  }
}

/** Everything but an answer is. */
function isOutage(error: unknown): boolean {
  const isAnswer = error instanceof Error && error.name === 'ReplyError';
  return !isAnswer || AWAY.test(error.message);
}

/** @throws TreeStoreDamagedError where Redis holds something else */
export function bytesOf(reply: unknown): Buffer {
  if (!Buffer.isBuffer(reply)) throw new TreeStoreDamagedError('Redis holds something else than bytes');
  return reply;
}

/** @throws TreeStoreDamagedError where Redis holds something else */
export function listOf(reply: unknown): unknown[] {
  if (!Array.isArray(reply)) throw new TreeStoreDamagedError('Redis holds something else than a list');
  return reply;
}
