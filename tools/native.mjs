// Compiles the Poseidon hash function in C to an addon of Node. Without it, WebAssembly computes the same, more slowly.

import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { arch, env, pid, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const SOURCE = join(dirname(dirname(fileURLToPath(import.meta.url))), 'libs', 'domain', 'poseidon', 'avx512.c');
/** The code loads it from the folder of the source, a bundle from its own folder. */
const ADDON = SOURCE.replace(/\.c$/, '.node');
const OPTIONS = ['-std=c17', '-O3', '-Wall', '-Wextra', '-shared', '-fPIC'];

/** Compiles the addon if its source was modified since. It is for Linux on x86-64 only. */
export function compileNative() {
  if (platform !== 'linux' || arch !== 'x64' || modifiedAt(ADDON) > modifiedAt(SOURCE)) return;
  const compiler = env.CC ?? 'cc';
  const headers = createRequire(import.meta.url)('node-api-headers').include_dir;
  // Several builds may run at once: each replaces the addon as a whole.
  const output = `${ADDON}.${pid}`;
  const { status } = spawnSync(compiler, [...OPTIONS, '-I', headers, '-o', output, SOURCE], {
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return renameSync(output, ADDON);
  rmSync(output, { force: true });
  console.error(`fresnel: "${compiler}" is no C compiler or failed: hashing takes longer. CC names another one.`);
}

/** @param {string} file */
function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
