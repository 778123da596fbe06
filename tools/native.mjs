// Compiles the C sources of the libraries to addons of Node beside them. Without a C compiler, or on another platform, Fresnel
// runs without them: slower.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { arch, env, pid, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OPTIONS = ['-std=c17', '-O3', '-Wall', '-Wextra', '-shared', '-fPIC'];

/** Compiles what was modified since it was compiled. */
export function compileNative() {
  // The sources have code for this platform only.
  if (platform !== 'linux' || arch !== 'x64') return;
  const headersAt = Math.max(...listFiles('.h').map(modifiedAt));
  const stale = listFiles('.c').filter(
    (source) => Math.max(modifiedAt(source), headersAt) > modifiedAt(addonOf(source)),
  );
  if (stale.length === 0) return;
  const compiler = env.CC ?? 'cc';
  const areCompiled = stale.map((source) => compile(compiler, source)).every(Boolean);
  if (areCompiled) return;
  console.error(
    `fresnel: "${compiler}" is no C compiler or failed: hashing and indexing take longer. CC names another one.`,
  );
}

/** @param {string} source */
export const addonOf = (source) => source.replace(/\.c$/, '.node');

/**
 * @param {string} compiler
 * @param {string} source
 * @returns whether it succeeded
 */
function compile(compiler, source) {
  const include = createRequire(import.meta.url)('node-api-headers').include_dir;
  // Builds of several apps run at once: each replaces the addon as a whole.
  const output = `${addonOf(source)}.${pid}`;
  const { status } = spawnSync(compiler, [...OPTIONS, '-I', include, '-o', output, source], {
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) renameSync(output, addonOf(source));
  else rmSync(output, { force: true });
  return status === 0;
}

/**
 * @param {string} ending
 * @returns {string[]}
 */
function listFiles(ending) {
  const files = readdirSync(join(ROOT, 'libs'), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith(ending)).map((file) => join(ROOT, 'libs', file));
}

/** @param {string} file */
function modifiedAt(file) {
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}
