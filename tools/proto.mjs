// Tools for the Protobuf schemas. `npm run proto:make` generates code. `npm run proto:check` fails on changes that are
// incompatible with those of a release, and on stale generated code. `npm run release:freeze` writes the schemas of a release.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { argv, env, execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LIBS = join(ROOT, 'libs');
const CONTRACTS = join(LIBS, 'contracts');
const BUF = join(ROOT, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
const RELEASES = join(ROOT, 'releases');
/** The schemas, in a folder for each release. */
const DESCRIPTOR = 'contracts.binpb';
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
 * @param {string} [hint] printed after a failure
 */
function buf(args, cwd = CONTRACTS, hint = '') {
  const PATH = [join(ROOT, 'node_modules', '.bin'), env.PATH].join(delimiter);
  const { status } = spawnSync(execPath, [BUF, ...args], {
    cwd,
    env: { ...env, PATH },
    stdio: 'inherit',
  });
  if (status === 0) return;
  if (hint) console.error(hint);
  exit(status ?? 1);
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
    const now = join(folder, DESCRIPTOR);
    buf(['build', '--output', now]);
    for (const release of readdirSync(RELEASES).filter((name) => existsSync(join(RELEASES, name, DESCRIPTOR)))) {
      const descriptor = join(RELEASES, release, DESCRIPTOR);
      buf(['breaking', now, '--against', descriptor, '--config', BREAKING], CONTRACTS, describeBreach(release));
    }
    generate(folder);
    for (const { folder: part, generated } of PARTS) {
      requireSame(join(folder, part, generated), join(LIBS, part, generated));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} release */
function describeBreach(release) {
  return `releases/${release}/${DESCRIPTOR} promises what the schemas do not keep. Keep it: add a field, or a schema of the next version.
If this version has no tag yet, and the change is wanted, write its files anew: npm run release:freeze`;
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

const [, , command, folder] = argv;
if (command === 'make') generate();
else if (command === 'check') check();
else if (command === 'freeze' && folder) buf(['build', '--exclude-source-info', '--output', join(folder, DESCRIPTOR)]);
else throw new Error('usage: proto.mjs make|check|freeze FOLDER');
