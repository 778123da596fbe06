// Installs what the tests need and runs them: `npm test`, or `npm test -- PATH --selectProjects unit` for some of them.
// Slow suites run if they are asked for, by path or by `--selectProjects slow`.
// `--faults=long` has outages last longer, and kills more processes.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { installMissing } from './install.mjs';
import { requireKustomize } from './kustomize.mjs';
import { requireSystemPackages } from './system-packages.mjs';

const FAULTS = /^--faults=(short|long)$/;
/** All kinds of suites, apart from the slow ones. */
const WITHOUT_SLOW = ['--selectProjects', 'unit', 'integration', 'e2e'];

const args = process.argv.slice(2);
const faults = args.map((arg) => FAULTS.exec(arg)?.[1]).find(Boolean);
const ownArgs = args.filter((arg) => !FAULTS.test(arg));
const isWhole = ownArgs.every((arg) => arg.startsWith('-') && arg !== '--selectProjects');
const jestArgs = isWhole ? [...ownArgs, ...WITHOUT_SLOW] : ownArgs;
if (needsServers(jestArgs)) {
  requireSystemPackages(['kafka', 'redis', 'prometheus', 'openssl']);
  requireKustomize();
}
installMissing({ isForTests: needsServers(jestArgs) });
process.exit(runJest(jestArgs));

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
 * Unit tests need no servers.
 *
 * @param {string[]} args of jest
 */
function needsServers(args) {
  const at = args.indexOf('--selectProjects');
  if (at < 0) return true;
  const rest = args.slice(at + 1);
  const end = rest.findIndex((arg) => arg.startsWith('-'));
  return rest.slice(0, end < 0 ? undefined : end).some((name) => name !== 'unit');
}
