// The contracts that are written in Protobuf: `npm run proto:make` generates their code, `npm run proto:check` says whether
// they keep what was promised, `npm run proto:release` promises what they say now.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { argv, env, execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CONTRACTS = join(ROOT, 'libs', 'contracts');
const BUF = join(ROOT, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
const RELEASED = 'released.binpb';
/** Nothing that stands in a released file may go or change, the names in the generated code included. */
const BREAKING = JSON.stringify({ version: 'v2', breaking: { use: ['FILE'] } });
const PARTS = ['messages', 'prover'];

/** @param {string[]} args */
function buf(...args) {
  const PATH = [join(ROOT, 'node_modules', '.bin'), env.PATH].join(delimiter);
  const { status } = spawnSync(execPath, [BUF, ...args], {
    cwd: CONTRACTS,
    env: { ...env, PATH },
    stdio: 'inherit',
  });
  if (status !== 0) exit(status ?? 1);
}

/** @param {string} [folder] where the code goes; into the libraries when nothing is said */
function generate(folder = CONTRACTS) {
  for (const part of PARTS) buf('generate', '--template', `buf.gen.${part}.yaml`, '--output', folder);
}

function check() {
  buf('lint');
  buf('format', '--diff', '--exit-code');
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-proto-'));
  try {
    // An image against an image: a workspace would be compared module by module, and each misses the files of the other.
    const now = join(folder, RELEASED);
    buf('build', '--output', now);
    buf('breaking', now, '--against', RELEASED, '--config', BREAKING);
    generate(folder);
    for (const part of PARTS) requireSame(join(folder, part, 'generated'), join(CONTRACTS, part, 'generated'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} fresh
 * @param {string} kept
 */
function requireSame(fresh, kept) {
  const files = new Set([...readdirSync(fresh), ...readdirSync(kept)]);
  for (const file of files) {
    if (readIfThere(join(fresh, file)) === readIfThere(join(kept, file))) continue;
    throw new Error(`${join(kept, file)} is not what the schemas say: run npm run proto:make`);
  }
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

const [, , command] = argv;
if (command === 'make') generate();
else if (command === 'check') check();
else if (command === 'release') buf('build', '--exclude-source-info', '--output', RELEASED);
else throw new Error('make, check or release?');
