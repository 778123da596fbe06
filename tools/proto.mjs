// Tools for the Protobuf schemas. `npm run proto:make` generates code. `npm run proto:check` fails on changes that are
// incompatible with the released schemas, and on stale generated code. `npm run proto:release` releases the present schemas.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { argv, env, execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LIBS = join(ROOT, 'libs');
const CONTRACTS = join(LIBS, 'contracts');
const BUF = join(ROOT, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
const RELEASED = 'released.binpb';
/** Nothing in a released file may be removed or changed, including the names in generated code. */
const BREAKING = JSON.stringify({ version: 'v2', breaking: { use: ['FILE'] } });
/** Folders with a template, and the generated code of each template, below `libs`. */
const PARTS = [
  { folder: 'contracts', template: 'buf.gen.messages.yaml', generated: 'messages/generated' },
  { folder: 'contracts', template: 'buf.gen.prover.yaml', generated: 'prover/generated' },
  { folder: 'adapters/chain', template: 'buf.gen.yaml', generated: 'generated' },
];

/**
 * @param {string[]} args
 * @param {string} [cwd]
 */
function buf(args, cwd = CONTRACTS) {
  const PATH = [join(ROOT, 'node_modules', '.bin'), env.PATH].join(delimiter);
  const { status } = spawnSync(execPath, [BUF, ...args], {
    cwd,
    env: { ...env, PATH },
    stdio: 'inherit',
  });
  if (status !== 0) exit(status ?? 1);
}

/** @param {string} [out] output folder; default: the libraries */
function generate(out = LIBS) {
  for (const { folder, template } of PARTS) {
    buf(['generate', '--template', template, '--output', join(out, folder)], join(LIBS, folder));
  }
}

function check() {
  buf(['lint']);
  buf(['format', '--diff', '--exit-code']);
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-proto-'));
  try {
    // Compare images. In a workspace buf compares modules one by one, and each lacks the files of the others.
    const now = join(folder, RELEASED);
    buf(['build', '--output', now]);
    buf(['breaking', now, '--against', RELEASED, '--config', BREAKING]);
    generate(folder);
    for (const { folder: part, generated } of PARTS) {
      requireSame(join(folder, part, generated), join(LIBS, part, generated));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} expected folder with newly generated code
 * @param {string} actual folder with the code in the repository
 */
function requireSame(expected, actual) {
  const files = new Set([...readdirSync(expected), ...readdirSync(actual)]);
  for (const file of files) {
    if (readIfExists(join(expected, file)) === readIfExists(join(actual, file))) continue;
    throw new Error(`${join(actual, file)} does not match the schemas: run npm run proto:make`);
  }
}

/** @param {string} file */
function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

const [, , command] = argv;
if (command === 'make') generate();
else if (command === 'check') check();
else if (command === 'release') buf(['build', '--exclude-source-info', '--output', RELEASED]);
else throw new Error('usage: proto.mjs make|check|release');
