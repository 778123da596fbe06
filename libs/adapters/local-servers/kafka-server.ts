import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@fresnel/domain/primitives';
import { findFreePort } from '@fresnel/platform';
import { LocalServerError } from './errors';
import { resolveKafkaJars } from './kafka-jars';
import { requireProgram, SupervisedProcess } from './supervised-process';

/** An arbitrary id. */
const CLUSTER_ID = 'ZnJlc25lbC1sb2NhbC1rYQ';

/** These options halve the CPU time of a start. A local broker does not need the optimizing compiler. */
const JVM_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

export interface KafkaServerOptions {
  /** Created if missing. Contains configuration and data. */
  folder: string;
  /** Default: a free port. */
  port?: number;
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
  static async start({ folder, port, log = () => undefined }: KafkaServerOptions): Promise<KafkaServer> {
    requireProgram('java', 'apt-get install -y default-jre-headless');
    const classpath = join(resolveKafkaJars(), '*');
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true });
    const actualPort = port ?? (await findFreePort());
    const settings = join(folder, 'server.properties');
    writeFileSync(settings, describe(data, actualPort, await findFreePort()));
    writeFileSync(join(folder, 'log4j2.properties'), LOGGING);
    if (!existsSync(join(data, 'meta.properties'))) await format(classpath, settings);
    const java = [
      ...JVM_OPTIONS,
      '-Xmx512m',
      `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`,
      '-cp',
      classpath,
    ];
    const server = await SupervisedProcess.start({
      name: 'Kafka',
      program: 'java',
      args: [...java, 'kafka.Kafka', settings],
      folder,
      readyLine: /Kafka Server started/,
      onLog: log,
    });
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
  exited(): Promise<void> {
    return this.server.exited();
  }
}

function describe(data: string, port: number, controllerPort: number): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    // No wait for more members: a local group is complete with its first member.
    'group.initial.rebalance.delay.ms': 0,
    // Low, so that members can choose their timeout.
    'group.min.session.timeout.ms': 1_000,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const LOGGING = `rootLogger.level = INFO
rootLogger.appenderRef.out.ref = OUT
appender.out.type = Console
appender.out.name = OUT
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %p %m (%c)%n
`;

async function format(classpath: string, settings: string): Promise<void> {
  const tool = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', settings];
  try {
    await promisify(execFile)('java', [...JVM_OPTIONS, '-cp', classpath, ...tool]);
  } catch (error) {
    throw new LocalServerError(`the Kafka folder cannot be formatted: ${messageOf(error)}`, { cause: error });
  }
}
