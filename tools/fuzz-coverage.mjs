// Fuzzes parsers by coverage: `npm run fuzz:coverage -- --seconds 60`, or those of some suites, named by their paths. Jazzer.js prefers
// inputs that reach other code, which random ones rarely do. It is fetched from the registry when this runs.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

/** Its binary needs version 2.38 of glibc. */
const JAZZER = '@jazzer.js/core@4.0.0';
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist', 'fuzz');

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '60' } },
  allowPositionals: true,
});
if (!/^[1-9]\d*$/.test(values.seconds)) throw new Error(`--seconds ${values.seconds} is not a number of seconds`);
const suites = positionals.length > 0 ? positionals : listSuites();
const failed = [];
for (const suite of suites) failed.push(...(await fuzzSuite(suite)));
for (const name of failed) console.error(`${name} has a finding`);
process.exit(failed.length > 0 ? 1 : 0);

/** The suites of all parsers, relative to the root. */
function listSuites() {
  const files = readdirSync(join(ROOT, 'libs'), { recursive: true }).map((file) => join('libs', String(file)));
  return files.filter((file) => file.endsWith('.fuzz.spec.ts'));
}

/**
 * Each parser gets a share of the time.
 *
 * @param {string} suite
 * @returns the parsers with findings
 */
async function fuzzSuite(suite) {
  const name = basename(suite, '.fuzz.spec.ts');
  const bundle = join(OUT, `${name}.cjs`);
  await build({
    absWorkingDir: ROOT,
    stdin: { contents: entryOf(suite), resolveDir: ROOT, loader: 'ts' },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    packages: 'external',
    tsconfig: 'tsconfig.base.json',
    loader: { '.node': 'copy' },
    logLevel: 'warning',
  });
  const { targets } = createRequire(import.meta.url)(bundle);
  const seconds = Math.ceil(Number(values.seconds) / targets.length);
  return targets.flatMap((/** @type {Target} */ target, /** @type {number} */ index) => {
    const title = `${suite}: ${target.title}`;
    console.log(`${title}, ${seconds} s`);
    return runJazzer(bundle, target, index, seconds) ? [] : [title];
  });
}

/** @typedef {{ title: string, samples: (string | Buffer)[], isAsync: boolean }} Target */

/**
 * @param {string} bundle
 * @param {Target} target
 * @param {number} index
 * @param {number} seconds
 * @returns {boolean} whether nothing was found
 */
function runJazzer(bundle, target, index, seconds) {
  const corpus = join(OUT, `${basename(bundle, '.cjs')}.${index}.corpus`);
  rmSync(corpus, { recursive: true, force: true });
  mkdirSync(corpus, { recursive: true });
  for (const [at, sample] of target.samples.entries()) writeFileSync(join(corpus, String(at)), sample);
  const mode = target.isAsync ? [] : ['--sync'];
  const options = [...mode, '--includes', basename(bundle), '--', `-max_total_time=${seconds}`, '-rss_limit_mb=4096'];
  const env = { ...process.env, FRESNEL_FUZZ_TARGET: String(index) };
  const { status } = spawnSync('npx', ['--yes', '--package', JAZZER, 'jazzer', bundle, corpus, ...options], {
    cwd: OUT,
    env,
    stdio: 'inherit',
  });
  return status === 0;
}

/**
 * Runs a suite with functions in place of Jest's that collect what it would give to `fuzz`.
 *
 * @param {string} suite
 */
function entryOf(suite) {
  return `
    import { expect } from 'expect';
    import { collectFuzzTargets } from './libs/testing/generic';
    Object.assign(globalThis, { expect });
    export const targets = collectFuzzTargets(() => require('./${suite}'));
    export const fuzz = (data) => targets[Number(process.env.FRESNEL_FUZZ_TARGET)].run(data);
  `;
}
