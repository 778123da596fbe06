import { type OracleCheck, waitForAgreement } from '@fresnel/testing/ledger';
import { sharedKafka, sharedRedis } from '@fresnel/testing/servers';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { Redis } from 'ioredis';
import { type Environment, FresnelProcess } from './fresnel-process';
import { type LiveLedger } from './live-ledger';

/** One replica of a service, and the newest process that was started for it. */
export interface RunningReplica {
  service: string;
  number: number;
  pid: number;
}

export interface StackOptions {
  /** Value of `--replicas`. */
  replicas?: string;
  /** Further environment variables. `KAFKA_BROKERS` or `REDIS_URL` names a server to use instead of the shared one. */
  env?: Environment;
  /** Turns the URL of the database into the URL that the stack connects to. */
  linkDatabase?: (url: string) => Promise<string>;
}

/** Number of errors that are shown before the exit of a process. */
const ERRORS_SHOWN = 5;
/** Short, so that the partitions of a killed process move soon. */
const SESSION_TIMEOUT_MS = 4_000;

/** All services as processes, indexing a `LiveLedger` into a database of their own. End it with `close`. */
export class StackUnderTest {
  /** URL of the round robin before the gateways. */
  url = '';

  private constructor(
    readonly ledger: LiveLedger,
    readonly database: TestDatabase,
    /** Environment variables of its services. */
    readonly env: Environment,
    private readonly args: string[],
    public process: FresnelProcess,
  ) {}

  /** Starts the stack and waits until it has indexed all revealed blocks. */
  static async start(
    ledger: LiveLedger,
    { replicas, env = {}, linkDatabase = (url) => Promise.resolve(url) }: StackOptions = {},
  ): Promise<StackUnderTest> {
    const database = await createTestDatabase({ migrated: false });
    const [kafka, redis] = await Promise.all([sharedKafka(), sharedRedis()]);
    const fullEnv = {
      ...ledger.env,
      DATABASE_URL: await linkDatabase(database.url),
      KAFKA_BROKERS: kafka.brokers.join(),
      KAFKA_PREFIX: kafka.prefix,
      KAFKA_SESSION_TIMEOUT_MS: String(SESSION_TIMEOUT_MS),
      REDIS_URL: redis.url,
      REDIS_KEY_PREFIX: redis.prefix,
      ...env,
    };
    const args = replicas === undefined ? [] : ['--replicas', replicas];
    const process = FresnelProcess.start(args, fullEnv, 'stack');
    const stack = new StackUnderTest(ledger, database, fullEnv, args, process);
    try {
      await stack.waitUntilStarted();
      return stack;
    } catch (error) {
      await stack.close();
      throw error;
    }
  }

  /** Starts the stack again after `end`, on the same data. */
  async restart(): Promise<void> {
    this.process = FresnelProcess.start(this.args, this.env, 'stack');
    await this.waitUntilStarted();
  }

  private async waitUntilStarted(): Promise<void> {
    this.url = await this.process.url();
    await this.waitForTip();
  }

  /** Waits until all revealed blocks are indexed. */
  waitForTip(): Promise<void> {
    return this.process.waitForSlot(this.ledger.tip);
  }

  /** The newest process of each replica; it may have exited. */
  replicas(): RunningReplica[] {
    const started = this.process.output.matchAll(
      /"service":"(\w+)","number":(\d+),"pid":(\d+),"msg":"process started"/g,
    );
    const replicas = new Map<string, RunningReplica>();
    for (const [, service, number, pid] of started) {
      replicas.set(`${service} ${number}`, { service, number: Number(number), pid: Number(pid) });
    }
    return [...replicas.values()];
  }

  /** Ports of health and metrics by service. A replica has the same port after a restart. */
  healthPorts(): Record<string, number[]> {
    const [, text] = /"healthPorts":(\{[^}]*\})/.exec(this.process.output) ?? [];
    return JSON.parse(text) as Record<string, number[]>;
  }

  /** Number of processes that exited and were restarted. */
  get restarts(): number {
    return this.exits().length;
  }

  /** What was logged about each process that exited and was restarted, each after the last errors before it. */
  exits(): string[][] {
    const errors = this.process.output.split('\n').filter((line) => /"level":(50|60)\b|^\S*Error/.test(line));
    const exits = errors.flatMap((line, at) => (line.includes('"process exited, restarting it"') ? [at] : []));
    return exits.map((at) => errors.slice(Math.max(0, at - ERRORS_SHOWN), at + 1));
  }

  /** Compares the gateways' answers with the oracle until nothing differs, or time is up. @returns the last differences */
  differences(options?: { proofs?: boolean }): Promise<OracleCheck['differences']> {
    return waitForAgreement(this.url, this.ledger.oracle, options);
  }

  /** Digest of its tables. */
  digest(): Promise<string> {
    return digestState(this.database.dataSource);
  }

  /** Deletes all keys of this stack in Redis. */
  async clearRedis(): Promise<void> {
    const redis = new Redis(this.env.REDIS_URL);
    const keys = await redis.keys(`${this.env.REDIS_KEY_PREFIX}*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  }

  /** Stops the stack and keeps its data. @returns its exit code */
  async end(): Promise<number | null> {
    return (await this.process.end('SIGTERM')).code;
  }

  /** Stops the stack in whatever state it is, and drops its database. */
  async close(): Promise<void> {
    if (this.process.hasExited) {
      for (const { pid } of this.replicas()) killIfRunning(pid);
    }
    await this.end();
    await this.database.drop();
  }
}

/** The services of a stack that was killed go on running. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}
