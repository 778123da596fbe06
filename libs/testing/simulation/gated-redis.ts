import { createTreeRedis, TREE_SCRIPTS } from '@fresnel/adapters/tree-store';
import { startTestRedis } from '@fresnel/testing/servers';
import { type Redis } from 'ioredis';
import { type OperationFaults } from './operation';
import { type Fault, type Scheduler } from './scheduler';

type Dump = readonly (readonly [string, Buffer])[];

const FAULTS: OperationFaults = {
  ...{ lostReply: 0.014, notSent: 0.014, late: 0.014 },
  error: () => new Error('Connection is closed.'),
};
/** Dumps that a failover can go back to. */
const KEPT_DUMPS = 3;
/** After one of these, proofs may differ from before. */
const WRITES = ['APPLY_ENTRY', 'MOVE_MARK', 'FINISH_LOAD', 'DELETE_TREE'];

/** A Redis for the worlds of a level. */
export interface OpenRedis {
  redis: Redis;
  close(): Promise<void>;
}

/** Starts a Redis that has all scripts: a run does not depend on which of them were used before. */
export async function openRedis(): Promise<OpenRedis> {
  const server = await startTestRedis();
  const redis = createTreeRedis({ url: server.url, commandTimeoutMs: 60_000 });
  redis.setMaxListeners(0);
  await redis.connect();
  for (const { source } of Object.values(TREE_SCRIPTS)) await redis.script('LOAD', source);
  const close = () => {
    redis.disconnect();
    return server.drop();
  };
  return { redis, close };
}

/** A real Redis that belongs to one world: its commands are operations, and it fails over to what it had before. */
export class GatedRedis {
  /** Whether something may have changed since this was last set to false. */
  hasChanged = false;
  private dumps: Dump[] = [];

  constructor(
    private readonly scheduler: Scheduler,
    private readonly redis: Redis,
  ) {}

  /** What the tree stores need of a connection. */
  get commands() {
    return {
      on: () => undefined,
      callBuffer: (command: string, ...args: (string | Buffer | number)[]) => {
        const name = nameOf(command, args[0]);
        const run = () => {
          if (WRITES.includes(name)) this.hasChanged = true;
          return this.redis.callBuffer(command, ...args);
        };
        return this.scheduler.operation('redis', name, run, FAULTS);
      },
    };
  }

  /** @param failover its probability in each step */
  faults(failover: number): Fault[] {
    return [
      { name: 'dump', probability: 0.08, happen: () => this.dump() },
      { name: 'failover of Redis', probability: failover, happen: () => this.failOver() },
    ];
  }

  /** No failover goes back from now on. */
  forgetDumps(): void {
    this.dumps = [];
  }

  private async dump(): Promise<null> {
    const keys = await this.redis.keys('*');
    const dump = await Promise.all(keys.map(async (key) => [key, await this.redis.dumpBuffer(key)] as const));
    this.dumps = [dump, ...this.dumps].slice(0, KEPT_DUMPS);
    return null;
  }

  private async failOver(): Promise<string | null> {
    if (this.dumps.length === 0) return null;
    const dump = this.scheduler.pickForFault(this.dumps);
    await this.redis.flushall();
    for (const [key, value] of dump) await this.redis.restore(key, 0, value);
    this.dumps = [];
    this.scheduler.forgetLate('redis');
    this.hasChanged = true;
    return `back to ${dump.length} keys`;
  }
}

function nameOf(command: string, sha: unknown): string {
  if (command !== 'EVALSHA') return command;
  return Object.entries(TREE_SCRIPTS).find(([, one]) => one.sha === sha)?.[0] ?? 'a script';
}
