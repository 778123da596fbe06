import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@fresnel/domain/primitives';
import { findFreePort } from '@fresnel/platform';
import { LocalServerError } from './errors';
import { resolveKafkaJars } from './kafka-jars';
import { requireProgram, SupervisedProcess } from './supervised-process';

/** Any will do: one broker is a cluster of its own. */
const CLUSTER_ID = 'ZnJlc25lbC1sb2NhbC1rYQ';

/** They halve the CPU time of a start; a broker of one machine never needs the optimizing compiler. */
const JVM_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

export interface KafkaServerOptions {
  /** Made where it is missing; holds settings and data. */
  folder: string;
  /** A free one where none is given. */
  port?: number;
  /** Receives the server's log lines. */
  log?: (line: string) => void;
}

/** A Kafka of one broker on loopback, controller included, in one JVM. Topics are not made by themselves. */
export class KafkaServer {
  private constructor(
    /** Where clients begin. */
    readonly brokers: string[],
    private readonly server: SupervisedProcess,
  ) {}

  /**
   * Starts it on a folder, where it finds the data of the last time.
   *
   * @throws LocalServerError that says what to do
   */
  static async start({ folder, port, log = () => undefined }: KafkaServerOptions): Promise<KafkaServer> {
    requireProgram('java', 'apt-get install -y default-jre-headless');
    const classpath = join(resolveKafkaJars(), '*');
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true });
    const chosen = port ?? (await findFreePort());
    const settings = join(folder, 'server.properties');
    writeFileSync(settings, describe(data, chosen, await findFreePort()));
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
    return new KafkaServer([`127.0.0.1:${chosen}`], server);
  }

  /** Ends the server; its data stay. */
  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Ends it at once, as a crash would. */
  kill(): Promise<void> {
    return this.server.kill();
  }

  /** Resolves when the server has exited, for whatever reason. */
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
    // A group of one machine is complete when its first member is there.
    'group.initial.rebalance.delay.ms': 0,
    // As low as it goes, so that a member may choose.
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
