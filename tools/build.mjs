// Compiles apps/ and libs/ to dist/, file by file, with the workspace's import names turned into relative paths. Interface
// definitions (.proto) are read at run time and come along as they are.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist');
const STAMP = join(OUT, '.sources');
const INPUTS = ['package-lock.json', '.swcrc', 'tsconfig.base.json', 'tools/build.mjs'];
const IS_TEST = /\.(spec|int-spec|e2e-spec|contract|bench)\.ts$|^libs\/testing\//;

/** Whether dist/ was made from something other than the sources as they are now. */
export function isBuildStale() {
  return !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== hashSources(listSources());
}

/** Compiles everything but tests and benches; dist/ is made anew. */
export async function build() {
  const { transformFile } = await import('@swc/core');
  const sources = listSources();
  await rm(OUT, { recursive: true, force: true });
  await Promise.all(sources.map((source) => compile(source, transformFile)));
  await writeFile(STAMP, hashSources(sources));
  return sources.length;
}

/**
 * @param {string} source
 * @param {typeof import('@swc/core').transformFile} transformFile
 */
async function compile(source, transformFile) {
  const target = join(OUT, relative(ROOT, source)).replace(/\.ts$/, '.js');
  await mkdir(dirname(target), { recursive: true });
  if (source.endsWith('.proto')) return copyFile(source, target);
  const { code, map } = await transformFile(source, {
    jsc: { baseUrl: ROOT, paths: { '@fresnel/*': ['./libs/*/index.ts'] } },
  });
  await Promise.all([writeFile(target, code), writeFile(`${target}.map`, map ?? '')]);
}

function listSources() {
  return ['apps', 'libs']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(ROOT, folder, file)),
    )
    .filter((file) => /\.(ts|proto)$/.test(file) && !IS_TEST.test(relative(ROOT, file)))
    .sort();
}

/** @param {string[]} sources */
function hashSources(sources) {
  const hash = createHash('sha256');
  for (const file of [...INPUTS.map((input) => join(ROOT, input)), ...sources]) {
    hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const startedAt = Date.now();
  const count = await build();
  console.log(`${count} files compiled to dist/ in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}
