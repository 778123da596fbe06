import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Exit, findFreePort, type SupervisedProcess } from '@fresnel/platform';
import { prepareKafka } from './kafka-installation';
import { dataFolderOf, startBroker } from './kafka-process';
import { requireProgram } from './start-server';

export interface KafkaServerOptions {
  /** Created if missing. Contains configuration and data. */
  folder: string;
  /** Default: a free port. */
  port?: number;
  /** Settings of the broker that differ from those of every local broker. */
  settings?: Readonly<Record<string, string>>;
  /** Receives the server's log lines. */
  log?: (line: string) => void;
}

/**
 * A Kafka cluster of one broker on loopback, with its controller in the same JVM. Topics are not created automatically.
 */
export class KafkaServer {
  private constructor(
    /** Bootstrap servers. */
    readonly brokers: string[],
    private readonly server: SupervisedProcess,
  ) {}

  /**
   * Starts the server with the data in its folder.
   *
   * @throws LocalServerError whose message says how to fix the problem
   */
  static async start({ folder, port, settings, log }: KafkaServerOptions): Promise<KafkaServer> {
    requireProgram('java', 'apt-get install -y default-jre-headless');
    const { classpath, emptyData, classArchive } = await prepareKafka();
    mkdirSync(folder, { recursive: true });
    const data = dataFolderOf(folder);
    if (!existsSync(join(data, 'meta.properties'))) cpSync(emptyData, data, { recursive: true });
    const actualPort = port ?? (await findFreePort());
    const jvmOptions = [`-XX:SharedArchiveFile=${classArchive}`];
    const server = await startBroker({ classpath, folder, port: actualPort, jvmOptions, settings, log });
    return new KafkaServer([`127.0.0.1:${actualPort}`], server);
  }

  /** Stops the server. Its data are kept. */
  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Kills the server, like a crash. */
  kill(): Promise<void> {
    return this.server.kill();
  }

  /** Resolves when the server has exited, for any reason. */
  exited(): Promise<Exit> {
    return this.server.exited();
  }
}
