// Installs the packages of the lock file that node_modules lacks, so that a fresh checkout needs no other command.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Exits with an error if Node is too old or if packages cannot be installed.
 *
 * @param {{ isForTests?: boolean }} [options] whether to install the browser of the tests, too. It is the only peer dependency, so
 *   that `npm start` does not wait for its 70 MB.
 */
export function installMissing({ isForTests = false } = {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`fresnel: Node ${process.versions.node} is too old: 20.19 or later is required`);
    process.exit(1);
  }
  const canStart = isInstalled({ isForTests: false });
  if (canStart && (!isForTests || isInstalled({ isForTests }))) return;
  console.error('fresnel: installing npm packages (first run only)');
  // The build needs packages that NODE_ENV=production, or a setting of npm, would leave out.
  const command = canStart ? ['install', '--no-save'] : ['ci', ...(isForTests ? [] : ['--omit=peer'])];
  const args = [...command, '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Compares npm's record of the installed packages with the lock file.
 *
 * @param {{ isForTests: boolean }} options
 */
function isInstalled({ isForTests }) {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const expected = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const actual = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(expected).every(
    ([path, { version, optional, peer }]) =>
      path === '' || optional || (peer && !isForTests) || actual[path]?.version === version,
  );
}
