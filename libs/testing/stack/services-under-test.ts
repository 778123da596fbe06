import { findFreePort } from '@fresnel/platform';
import { type OracleCheck, waitForAgreement } from '@fresnel/testing/ledger';
import { sharedKafka, sharedRedis } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type CommandName, type Environment, type ExitResult, FresnelProcess } from './fresnel-process';
import { type LiveLedger } from './live-ledger';

/** The servers of services that do not use the shared ones. */
export interface OwnServers {
  database: TestDatabase;
  /** Further environment variables of a service: where its servers are, and what it may do there. */
  envOf: (service: CommandName, role: 'reader' | 'writer') => Environment;
}

/** Services that change stored data. */
export type WriterName = 'ingest' | 'projector' | 'prover';

const WRITERS: readonly WriterName[] = ['projector', 'prover', 'ingest'];
/** Short, so that the partitions of a process that ended move soon. */
const SESSION_TIMEOUT_MS = 4_000;

/**
 * One process of each service, without a supervisor. A gateway and a prover that serves proofs run from `start` to `close`;
 * the services that write are started and stopped by a test, as an operator would.
 */
export class ServicesUnderTest {
  /** URL of the gateway. */
  url = '';
  private readonly writers = new Map<WriterName, FresnelProcess>();
  private readonly readers: FresnelProcess[] = [];

  private constructor(
    readonly ledger: LiveLedger,
    readonly database: TestDatabase,
    /** Environment variables of all services. */
    readonly env: Environment,
    private readonly envOf: OwnServers['envOf'] = () => ({}),
  ) {}

  /** Migrates a new database, starts all services, and waits until they have indexed all revealed blocks. */
  static async start(ledger: LiveLedger, own?: OwnServers): Promise<ServicesUnderTest> {
    const services = await ServicesUnderTest.launch(ledger, own);
    try {
      await services.waitForTip();
      return services;
    } catch (error) {
      await services.close();
      throw error;
    }
  }

  /** Like `start`, but does not wait for any block. @param env further environment variables of all services */
  static async launch(ledger: LiveLedger, own?: OwnServers, env: Environment = {}): Promise<ServicesUnderTest> {
    const database = own?.database ?? (await createTestDatabase());
    const [kafka, redis] = await Promise.all([sharedKafka(), sharedRedis()]);
    const services = new ServicesUnderTest(
      ledger,
      database,
      {
        ...ledger.env,
        DATABASE_URL: database.url,
        KAFKA_BROKERS: kafka.brokers.join(),
        KAFKA_PREFIX: kafka.prefix,
        KAFKA_SESSION_TIMEOUT_MS: String(SESSION_TIMEOUT_MS),
        REDIS_URL: redis.url,
        REDIS_KEY_PREFIX: redis.prefix,
        HEALTH_PORT: '0',
        ...env,
      },
      own?.envOf,
    );
    try {
      const { code, stderr } = await services.migrate();
      if (code !== 0) throw new Error(`migrate failed: ${stderr}`);
      services.startWriters();
      await services.startReaders();
      return services;
    } catch (error) {
      await services.close();
      throw error;
    }
  }

  /** Runs the command migrate to its end. */
  migrate(...args: readonly string[]): Promise<ExitResult> {
    return FresnelProcess.run(args, { ...this.env, ...this.envOf('migrate', 'writer') }, 'migrate');
  }

  /** Starts those services that write and do not run. @param further environment variables */
  startWriters(further: Environment = {}): void {
    for (const name of WRITERS) {
      if (this.writers.get(name)?.hasExited === false) continue;
      const env = { ...this.env, ...this.envOf(name, 'writer'), PROVER_ROLE: 'writer', ...further };
      this.writers.set(name, FresnelProcess.start([], env, name));
    }
  }

  /** Starts a service that writes anew. @param env further environment variables of the new process */
  async restart(name: WriterName, env: Environment = {}): Promise<void> {
    await this.stopWriters([name]);
    this.startWriters(env);
  }

  /** Stops services that write. */
  async stopWriters(names: readonly WriterName[] = WRITERS): Promise<void> {
    const running = names.flatMap((name) => this.writers.get(name) ?? []);
    await Promise.all(running.map((process) => process.end('SIGTERM')));
  }

  /** The process of a service that was started last. */
  writer(name: WriterName): FresnelProcess {
    const process = this.writers.get(name);
    if (!process) throw new Error(`${name} was not started`);
    return process;
  }

  /** Waits until all revealed blocks are indexed. */
  async waitForTip(): Promise<void> {
    await this.readers[0].waitForSlot(this.ledger.tip);
  }

  /** Compares the gateway's answers with the oracle until nothing differs, or time is up. @returns the last differences */
  differences(): Promise<OracleCheck['differences']> {
    return waitForAgreement(this.url, this.ledger.oracle);
  }

  /** Stops the gateway, and then the prover that it asks while it drains. */
  async stopReaders(): Promise<void> {
    for (const reader of this.readers) await reader.end('SIGTERM');
  }

  /** Stops all services, and drops their database. */
  async close(): Promise<void> {
    await this.stopWriters();
    await this.stopReaders();
    await this.database.drop();
  }

  private async startReaders(): Promise<void> {
    const port = String(await findFreePort());
    const env = { ...this.env, PROVER_ROLE: 'reader', PROVER_PORT: port, PROVER_URL: `127.0.0.1:${port}` };
    for (const name of ['gateway', 'prover'] as const) {
      this.readers.push(FresnelProcess.start([], { ...env, ...this.envOf(name, 'reader') }, name));
    }
    this.url = await this.readers[0].url();
  }
}
