import { eventually } from '@fresnel/testing/generic';
import { checkAgainstOracle, type OracleCheck } from '@fresnel/testing/ledger';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { FresnelProcess, type Environment } from './fresnel-process';
import { type LiveLedger } from './live-ledger';

/** One replica of a service, and the newest process that was started for it. */
export interface RunningReplica {
  service: string;
  number: number;
  pid: number;
}

export interface StackOptions {
  /** The value of `--replicas`. */
  replicas?: string;
  env?: Environment;
  /** Replaces the URL by which the stack connects to its database. */
  linkDatabase?: (url: string) => Promise<string>;
}

/** Time for all processes to start, or to restart after they were killed. */
const START_TIMEOUT_MS = 180_000;
/** Time for a killed process to restart, and for its consumer group to rebalance. */
const SETTLE_MS = 90_000;

/** The whole stack on a ledger, with its own database. Call `close` at the end. */
export class StackUnderTest {
  /** The URL of the gateways. */
  url = '';

  private constructor(
    readonly ledger: LiveLedger,
    readonly database: TestDatabase,
    private readonly startProcess: () => FresnelProcess,
    public process: FresnelProcess,
  ) {}

  /** Starts the stack and waits until it has indexed every revealed block. */
  static async start(
    ledger: LiveLedger,
    { replicas, env = {}, linkDatabase = (url) => Promise.resolve(url) }: StackOptions = {},
  ): Promise<StackUnderTest> {
    const database = await createTestDatabase({ migrated: false });
    const addresses = { DATABASE_URL: await linkDatabase(database.url), FRESNEL_DATA_DIR: ledger.folder };
    const args = replicas === undefined ? [] : ['--replicas', replicas];
    const start = () => FresnelProcess.start(args, { ...ledger.env, ...addresses, ...env }, 'stack');
    const stack = new StackUnderTest(ledger, database, start, start());
    try {
      await stack.waitUntilStarted();
      return stack;
    } catch (error) {
      await stack.close();
      throw error;
    }
  }

  /** Starts the stack again after `end`, with the same data. */
  async restart(): Promise<void> {
    this.process = this.startProcess();
    await this.waitUntilStarted();
  }

  private async waitUntilStarted(): Promise<void> {
    this.url = await this.process.url(START_TIMEOUT_MS);
    await this.waitForTip();
  }

  /** Waits until every revealed block is indexed. */
  waitForTip(timeoutMs = START_TIMEOUT_MS): Promise<void> {
    return this.process.waitForSlot(this.ledger.tip, timeoutMs);
  }

  /** The newest process of each replica. It may have exited. */
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

  /** How many times the stack restarted a process that had exited. */
  get restartCount(): number {
    return this.process.output.split('"process exited, restarting it"').length - 1;
  }

  /** Compares the gateways' answers with the oracle's until they agree, or on timeout. @returns the last differences */
  async differences(options?: { proofs?: boolean }): Promise<OracleCheck['differences']> {
    let found: OracleCheck['differences'] = [];
    const agrees = async () => {
      found = (await checkAgainstOracle(this.url, this.ledger.oracle, options)).differences;
      return found.length === 0;
    };
    await eventually('the gateways agree with the oracle', agrees, SETTLE_MS).catch(() => undefined);
    return found;
  }

  digest(): Promise<string> {
    return digestState(this.database.dataSource);
  }

  /** Stops the stack and keeps its data. @returns its exit code */
  async end(): Promise<number | null> {
    return (await this.process.end('SIGTERM')).code;
  }

  /** Stops the stack in any state, and drops its database. */
  async close(): Promise<void> {
    if (this.process.hasExited) {
      for (const { pid } of this.replicas()) killIfRunning(pid);
    }
    await this.end();
    await this.database.drop();
  }
}

/** Kills a process that outlived its stack. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited.
  }
}

/** Digest of the tables that one process stores for all revealed blocks, without any fault. */
export async function digestCleanRun(ledger: LiveLedger): Promise<string> {
  const database = await createTestDatabase();
  try {
    const app = FresnelProcess.start([], { ...ledger.env, DATABASE_URL: database.url });
    await app.waitForSlot(ledger.tip, START_TIMEOUT_MS).finally(() => app.end('SIGTERM'));
    return await digestState(database.dataSource);
  } finally {
    await database.drop();
  }
}
