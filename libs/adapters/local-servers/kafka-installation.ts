import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@fresnel/domain/primitives';
import { findFreePort } from '@fresnel/platform';
import { LocalServerError } from './local-server.error';
import { publishFolder, resolveKafkaJars } from './kafka-jars';
import { dataFolderOf, JVM_OPTIONS, startBroker, writeSettings } from './kafka-process';

/** An arbitrary id. */
const CLUSTER_ID = 'ZnJlc25lbC1sb2NhbC1rYQ';

/** What all local brokers of a user share. */
export interface KafkaInstallation {
  classpath: string;
  /** A formatted data folder without data, to copy for a new broker. */
  emptyData: string;
  /** Class data sharing archive of a broker. It halves the time of a start; a JVM that cannot use it ignores it. */
  classArchive: string;
}

/**
 * Finds the installation in the user's cache folder. The first call for a Kafka version creates it, which takes about half
 * a minute.
 *
 * @throws LocalServerError whose message says how to fix the problem
 */
export async function prepareKafka(): Promise<KafkaInstallation> {
  const jars = resolveKafkaJars();
  const classpath = join(jars, '*');
  const prepared = `${jars}-prepared`;
  if (!existsSync(prepared)) await prepare(classpath, prepared);
  return { classpath, emptyData: join(prepared, 'data'), classArchive: join(prepared, 'classes.jsa') };
}

/** Several processes may do this at the same time. The first one to finish provides the result. */
async function prepare(classpath: string, prepared: string): Promise<void> {
  const result = mkdtempSync(`${prepared}-incomplete-`);
  const broker = mkdtempSync(`${prepared}-broker-`);
  try {
    await format(classpath, broker);
    cpSync(dataFolderOf(broker), join(result, 'data'), { recursive: true });
    await archiveClasses(classpath, broker, join(result, 'classes.jsa'));
    publishFolder(result, prepared);
  } finally {
    for (const folder of [result, broker]) rmSync(folder, { recursive: true, force: true });
  }
}

async function format(classpath: string, folder: string): Promise<void> {
  mkdirSync(dataFolderOf(folder));
  const settings = await writeSettings(folder, await findFreePort());
  const tool = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', settings];
  try {
    await promisify(execFile)('java', [...JVM_OPTIONS, '-cp', classpath, ...tool]);
  } catch (error) {
    throw new LocalServerError(`the Kafka folder cannot be formatted: ${messageOf(error)}`, { cause: error });
  }
}

/** Runs a broker once. Its JVM writes the archive when it stops. */
async function archiveClasses(classpath: string, folder: string, archive: string): Promise<void> {
  const jvmOptions = [`-XX:ArchiveClassesAtExit=${archive}`];
  const port = await findFreePort();
  const broker = await startBroker({ classpath, folder, port, jvmOptions });
  await broker.stop();
}
