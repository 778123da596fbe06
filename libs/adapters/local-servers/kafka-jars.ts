import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { LocalServerError } from './local-server.error';
import { requireProgram } from './start-server';

const POM = join('tools', 'kafka', 'pom.xml');

/**
 * Returns the folder with the jars of the broker. Maven downloads them once for each version.
 *
 * @throws LocalServerError whose message says how to fix the problem
 */
export function resolveKafkaJars(): string {
  const pom = findPom(__dirname);
  const version = /<kafka\.version>(.+)<\/kafka\.version>/.exec(readFileSync(pom, 'utf8'))?.[1] ?? 'unknown';
  const cache = join(homedir(), '.cache', 'fresnel');
  const jars = join(cache, `kafka-${version}`);
  if (existsSync(jars)) return jars;
  requireProgram('mvn', 'apt-get install -y maven');
  mkdirSync(cache, { recursive: true });
  // Renamed when complete, so that an interrupted download is never used.
  const incomplete = mkdtempSync(`${jars}-incomplete-`);
  try {
    copyJars(pom, incomplete);
    publishFolder(incomplete, jars);
  } finally {
    rmSync(incomplete, { recursive: true, force: true });
  }
  return jars;
}

/** Gives a complete folder its final name, unless another process was faster. */
export function publishFolder(complete: string, name: string): void {
  try {
    renameSync(complete, name);
  } catch (error) {
    if (!existsSync(name)) throw error;
  }
}

function copyJars(pom: string, folder: string): void {
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
  const { status, stdout } = spawnSync('mvn', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status === 0) return;
  const output = stdout.split('\n').slice(0, 5).join(' | ');
  throw new LocalServerError(`mvn could not download the jars of ${pom}, is Maven Central reachable? ${output}`);
}

/** Searches the parent folders: the sources and their build in dist/ have different depths. */
function findPom(folder: string): string {
  const pom = join(folder, POM);
  if (existsSync(pom)) return pom;
  if (dirname(folder) === folder)
    throw new LocalServerError(`${POM} is missing: a broker can only run from a checkout of the repository`);
  return findPom(dirname(folder));
}
