// Installs what the tests need and runs them: `npm test`, or `npm test -- PATH --selectProjects unit` for some of them.
// `--faults=short|middle|long` selects how long outages last and how many processes are killed; `short` is the default.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { installMissing } from './install.mjs';
import { requireKustomize } from './kustomize.mjs';
import { requireSystemPackages } from './system-packages.mjs';

const FAULTS = /^--faults=(short|middle|long)$/;

const args = process.argv.slice(2);
const faults = args.map((arg) => FAULTS.exec(arg)?.[1]).find(Boolean);
const jestArgs = args.filter((arg) => !FAULTS.test(arg));
if (needsServers(jestArgs)) {
  requireSystemPackages(['kafka', 'redis', 'prometheus']);
  requireKustomize();
}
installMissing();
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const { status } = spawnSync(process.execPath, [jest, ...jestArgs], {
  stdio: 'inherit',
  env: { ...process.env, ...(faults && { FRESNEL_TEST_FAULTS: faults }) },
});
process.exit(status ?? 1);

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
