import { eventually } from '@fresnel/testing/generic';
import { checkAgainstOracle, type OracleCheck } from '@fresnel/testing/ledger';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { FresnelProcess, type Settings } from './fresnel-process';
import { type LiveLedger } from './live-ledger';

/** One place in the stack, and the newest process that was started for it. */
export interface RunningReplica {
  service: string;
  number: number;
  pid: number;
}

export interface StackOptions {
  /** As `--replicas` takes it. */
  replicas?: string;
  settings?: Settings;
  /** By which way the stack reaches its database. */
  linkDatabase?: (url: string) => Promise<string>;
}

/** Everything has to start, and processes that were killed have to be back. */
const PATIENCE_MS = 180_000;
/** How long a killed process may take to be back, and a group to deal its partitions anew. */
const SETTLE_MS = 90_000;

/** The whole stack on a ledger, in a database of its own. Ended with `close`. */
export class StackUnderTest {
  /** Where the gateways answer. */
  url = '';

  private constructor(
    readonly ledger: LiveLedger,
    readonly database: TestDatabase,
    private readonly startProcess: () => FresnelProcess,
    public process: FresnelProcess,
  ) {}

  /** Starts it and waits until it has everything that the ledger has revealed. */
  static async start(
    ledger: LiveLedger,
    { replicas, settings = {}, linkDatabase = (url) => Promise.resolve(url) }: StackOptions = {},
  ): Promise<StackUnderTest> {
    const database = await createTestDatabase({ migrated: false });
    const places = { DATABASE_URL: await linkDatabase(database.url), FRESNEL_DATA_DIR: ledger.folder };
    const args = replicas === undefined ? [] : ['--replicas', replicas];
    const start = () => FresnelProcess.start(args, { ...ledger.settings, ...places, ...settings }, 'stack');
    const stack = new StackUnderTest(ledger, database, start, start());
    try {
      await stack.whenStarted();
      return stack;
    } catch (error) {
      await stack.close();
      throw error;
    }
  }

  /** Starts it again after `end`, with its data. */
  async restart(): Promise<void> {
    this.process = this.startProcess();
    await this.whenStarted();
  }

  private async whenStarted(): Promise<void> {
    this.url = await this.process.url(PATIENCE_MS);
    await this.waitForTip();
  }

  /** Waits until everything is indexed that the ledger has revealed. */
  waitForTip(patienceMs = PATIENCE_MS): Promise<void> {
    return this.process.waitForSlot(this.ledger.tip, patienceMs);
  }

  /** The newest process of each place; it may have ended. */
  replicas(): RunningReplica[] {
    const started = this.process.said.matchAll(/"service":"(\w+)","number":(\d+),"pid":(\d+),"msg":"process started"/g);
    const places = new Map<string, RunningReplica>();
    for (const [, service, number, pid] of started) {
      places.set(`${service} ${number}`, { service, number: Number(number), pid: Number(pid) });
    }
    return [...places.values()];
  }

  /** How many processes ended by themselves or were killed. */
  get endedProcesses(): number {
    return this.process.said.split('"process exited, restarting it"').length - 1;
  }

  /** Asks the gateways everything until nothing differs from the oracle, for a while. @returns what differs in the end */
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

  /** Ends it and keeps its data. @returns its exit code */
  async end(): Promise<number | null> {
    return (await this.process.end('SIGTERM')).code;
  }

  /** Ends it, whatever state it is in, and drops its database. */
  async close(): Promise<void> {
    if (this.process.hasExited) {
      for (const { pid } of this.replicas()) killIfRunning(pid);
    }
    await this.end();
    await this.database.drop();
  }
}

/** Of a stack that was itself killed: nobody else ends it. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** What one process makes of everything that a ledger has revealed, without any fault. */
export async function digestCleanRun(ledger: LiveLedger): Promise<string> {
  const database = await createTestDatabase();
  try {
    const app = FresnelProcess.start([], { ...ledger.settings, DATABASE_URL: database.url });
    await app.waitForSlot(ledger.tip, PATIENCE_MS).finally(() => app.end('SIGTERM'));
    return await digestState(database.dataSource);
  } finally {
    await database.drop();
  }
}
