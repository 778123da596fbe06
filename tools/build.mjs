// Compiles a project to dist/, file by file, with the workspace's import names turned into relative paths. Interface definitions
// (.proto) are read at run time and are copied. Nx runs this for each project and caches the result.

import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { argv, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist');
/** A file whose modification time is the start of the last `build()`. */
const MARKER = join(OUT, '.built');
const TOOLCHAIN = ['package-lock.json', '.swcrc', 'tsconfig.base.json', 'tools/build.mjs'];
const IS_TEST = /\.(spec|int-spec|e2e-spec|contract|bench)\.ts$|^libs\/testing\//;

/** Whether a source was modified after the last `build()`. It compares modification times; Nx decides what to compile. */
export function isBuildStale() {
  const builtAt = modifiedAt(MARKER);
  const inputs = TOOLCHAIN.map((file) => join(ROOT, file));
  return [...inputs, ...['apps', 'libs'].flatMap(listSources)].some((file) => modifiedAt(file) > builtAt);
}

/**
 * Compiles all projects, or restores them from the cache of Nx. Prints to standard error.
 *
 * @throws if a project does not compile
 */
export async function build() {
  const startedAt = new Date();
  const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
  const args = [nx, 'run-many', '--targets', 'build', '--output-style', 'static'];
  const { status } = spawnSync(execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the build failed');
  await writeFile(MARKER, '');
  await utimes(MARKER, startedAt, startedAt);
}

/** @param {string} project folder of a project, relative to the root */
async function compileProject(project) {
  const { transformFile } = await import('@swc/core');
  await rm(join(OUT, project), { recursive: true, force: true });
  const sources = listSources(project);
  await Promise.all(sources.map((source) => compile(source, transformFile)));
}

/**
 * @param {string} source
 * @param {typeof import('@swc/core').transformFile} transformFile
 */
async function compile(source, transformFile) {
  const target = outputOf(source);
  await mkdir(dirname(target), { recursive: true });
  if (source.endsWith('.proto')) return copyFile(source, target);
  const { code, map } = await transformFile(source, {
    jsc: { baseUrl: ROOT, paths: { '@fresnel/*': ['./libs/*/index.ts'] } },
  });
  await Promise.all([writeFile(target, code), writeFile(`${target}.map`, map ?? '')]);
}

/** @param {string} folder relative to the root */
function listSources(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(ROOT, folder, file))
    .filter((file) => /\.(ts|proto)$/.test(file) && !IS_TEST.test(relative(ROOT, file)));
}

/** @param {string} source */
function outputOf(source) {
  return join(OUT, relative(ROOT, source)).replace(/\.ts$/, '.js');
}

/** @param {string} file */
function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (argv[1] === fileURLToPath(import.meta.url)) await compileProject(argv[2]);
