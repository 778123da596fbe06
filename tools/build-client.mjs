// Writes the npm package of libs/client to dist/client: `npx nx run client:build`, then `npm publish dist/client`. Another folder can be
// named as an argument.

import { spawnSync } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, 'libs', 'client');
const OUT = process.argv[2] ?? join(ROOT, 'dist', 'client');

await rm(OUT, { recursive: true, force: true });
/** @type {['esm' | 'cjs', string][]} */
const forms = [
  ['esm', 'index.mjs'],
  ['cjs', 'index.cjs'],
];
for (const [format, file] of forms) {
  await build({
    entryPoints: [join(SOURCE, 'index.ts')],
    outfile: join(OUT, file),
    bundle: true,
    format,
    target: 'es2022',
    logLevel: 'warning',
  });
}
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const args = ['--project', join(SOURCE, 'tsconfig.build.json'), '--outDir', OUT];
const { status } = spawnSync(process.execPath, [tsc, ...args], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

/** @type {{ version: string }} */
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
/** @type {object} */
const manifest = JSON.parse(await readFile(join(SOURCE, 'package.json'), 'utf8'));
await writeFile(join(OUT, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
await cp(join(SOURCE, 'README.md'), join(OUT, 'README.md'));
await cp(join(ROOT, 'LICENSE'), join(OUT, 'LICENSE'));
