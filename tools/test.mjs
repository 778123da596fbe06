// Installs what the tests need and runs them: `npm test`, or `npm test -- PATH --selectProjects unit` for some of them.
// `--faults=short|middle|long` selects how long outages last and how many processes are killed; `short` is the default.
// `--repeat-failed` runs failed suites once more, one at a time: a time limit that a busy machine exceeded is kept then, and a
// defect fails again.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { installMissing } from './install.mjs';
import { requireKustomize } from './kustomize.mjs';
import { compileNative } from './native.mjs';
import { requireSystemPackages } from './system-packages.mjs';

const FAULTS = /^--faults=(short|middle|long)$/;
const REPEAT_FAILED = '--repeat-failed';
/** More failed suites than these are a defect. */
const MAX_REPEATED = 5;

const args = process.argv.slice(2);
const faults = args.map((arg) => FAULTS.exec(arg)?.[1]).find(Boolean);
const jestArgs = args.filter((arg) => !FAULTS.test(arg) && arg !== REPEAT_FAILED);
if (needsServers(jestArgs)) {
  requireSystemPackages(['kafka', 'redis', 'prometheus', 'openssl']);
  requireKustomize();
}
installMissing();
compileNative();
process.exit(args.includes(REPEAT_FAILED) ? runAndRepeat(jestArgs) : runJest(jestArgs));

/**
 * @param {string[]} args of jest
 * @returns the exit code of jest
 */
function runJest(args) {
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const env = { ...process.env, ...(faults && { FRESNEL_TEST_FAULTS: faults }) };
  return spawnSync(process.execPath, [jest, ...args], { stdio: 'inherit', env }).status ?? 1;
}

/**
 * Runs the failed suites a second time.
 *
 * @param {string[]} args of jest
 * @returns the exit code of the last run
 */
function runAndRepeat(args) {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-tests-'));
  const report = join(folder, 'report.json');
  try {
    const status = runJest([...args, '--json', `--outputFile=${report}`]);
    const failed = existsSync(report) ? failedSuites(report) : [];
    if (status === 0 || failed.length === 0 || failed.length > MAX_REPEATED) return status;
    console.error(`\nThese suites failed and run once more, one at a time:\n${failed.join('\n')}\n`);
    const repeated = runJest(['--runInBand', '--runTestsByPath', ...failed]);
    console.error(
      `\nThe repeated suites ${repeated === 0 ? 'passed: a busy machine, or a rare defect' : 'failed again'}.`,
    );
    return repeated;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} report path of the JSON report of jest
 * @returns paths from the repository's root
 */
function failedSuites(report) {
  /** @type {{ testResults: { name: string; status: string }[] }} */
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.filter(({ status }) => status === 'failed');
  return failed.map(({ name }) => relative(process.cwd(), name));
}

/**
 * Unit tests need no servers.
 *
 * @param {string[]} args of jest
 */
function needsServers(args) {
  const at = args.indexOf('--selectProjects');
  if (at < 0) return true;
  const rest = args.slice(at + 1);
  const end = rest.findIndex((arg) => arg.startsWith('-'));
  return rest.slice(0, end < 0 ? undefined : end).some((name) => name === 'integration' || name === 'e2e');
}
