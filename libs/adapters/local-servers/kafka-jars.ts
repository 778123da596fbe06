import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { LocalServerError } from './errors';
import { requireProgram } from './supervised-process';

const POM = join('tools', 'kafka', 'pom.xml');

/**
 * The folder with the broker's jars: Maven resolves them once for each version, later starts only look there.
 *
 * @throws LocalServerError that says what to do
 */
export function resolveKafkaJars(): string {
  const pom = findPom(__dirname);
  const version = /<kafka\.version>(.+)<\/kafka\.version>/.exec(readFileSync(pom, 'utf8'))?.[1] ?? 'unknown';
  const cache = join(homedir(), '.cache', 'fresnel');
  const jars = join(cache, `kafka-${version}`);
  if (existsSync(jars)) return jars;
  requireProgram('mvn', 'apt-get install -y maven');
  mkdirSync(cache, { recursive: true });
  // Under its name only when it is complete, so that a run that was cut off leaves nothing to trip over.
  const incomplete = mkdtempSync(`${jars}-incomplete-`);
  try {
    copyJars(pom, incomplete);
    if (!existsSync(jars)) renameSync(incomplete, jars);
  } finally {
    rmSync(incomplete, { recursive: true, force: true });
  }
  return jars;
}

function copyJars(pom: string, folder: string): void {
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
  const { status, stdout } = spawnSync('mvn', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status === 0) return;
  const said = stdout.split('\n').slice(0, 5).join(' | ');
  throw new LocalServerError(`mvn could not bring the jars of ${pom}, is Maven Central within reach? ${said}`);
}

/** The sources and their build in dist/ lie at different depths. */
function findPom(folder: string): string {
  const pom = join(folder, POM);
  if (existsSync(pom)) return pom;
  if (dirname(folder) === folder) throw new LocalServerError(`${POM} is missing: a broker is run from a checkout`);
  return findPom(dirname(folder));
}
