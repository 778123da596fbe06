import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@fresnel/platform';
import { startServer } from './start-server';

/** These options halve the CPU time of a start. A local broker does not need the optimizing compiler. */
export const JVM_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

export interface BrokerOptions {
  classpath: string;
  /** Folder for configuration and data. */
  folder: string;
  port: number;
  jvmOptions: readonly string[];
  /** Settings of the broker that differ from those of every local broker. */
  settings?: Readonly<Record<string, string>>;
  log?: (line: string) => void;
}

/** Data folder of a broker. */
export function dataFolderOf(folder: string): string {
  return join(folder, 'data');
}

/** Writes the configuration of a broker. @returns its path */
export async function writeSettings(
  folder: string,
  port: number,
  further: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = join(folder, 'server.properties');
  const settings = { ...settingsOf(dataFolderOf(folder), port, await findFreePort()), ...further };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path, lines.join(''));
  writeFileSync(join(folder, 'log4j2.properties'), LOGGING);
  return path;
}

/** Starts a broker on a formatted data folder. @throws LocalServerError with its last lines if it exits at once */
export async function startBroker({ classpath, folder, port, jvmOptions, settings, log }: BrokerOptions) {
  const settingsFile = await writeSettings(folder, port, settings);
  const java = [
    ...JVM_OPTIONS,
    ...jvmOptions,
    '-Xmx512m',
    `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`,
    '-cp',
    classpath,
  ];
  const args = [...java, 'kafka.Kafka', settingsFile];
  return startServer('Kafka', folder, { program: 'java', args, readyLine: /Kafka Server started/, onLog: log });
}

function settingsOf(data: string, port: number, controllerPort: number): Record<string, string | number | boolean> {
  return {
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
}

const LOGGING = `rootLogger.level = INFO
rootLogger.appenderRef.out.ref = OUT
appender.out.type = Console
appender.out.name = OUT
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %p %m (%c)%n
`;
