// Installs what the tests need and runs them: `npm test`, or `npm test -- PATH --selectProjects unit` for some of them.
// `--faults=long` has outages last longer, and kills more processes.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { installMissing } from './install.mjs';
import { requireKustomize } from './kustomize.mjs';
import { requireSystemPackages } from './system-packages.mjs';

const FAULTS = /^--faults=(short|long)$/;

const args = process.argv.slice(2);
const faults = args.map((arg) => FAULTS.exec(arg)?.[1]).find(Boolean);
const jestArgs = args.filter((arg) => !FAULTS.test(arg));
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
  return rest.slice(0, end < 0 ? undefined : end).some((name) => name === 'integration' || name === 'e2e');
}
