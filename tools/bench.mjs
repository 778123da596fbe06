// Runs the benches: all with `npm run bench`, those with "persist" in their path with `npm run bench -- persist`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, buildExplorer, isBuildStale, isExplorerStale } from './build.mjs';
import { installMissing } from './install.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const pathParts = process.argv.slice(2);
const all = ['apps', 'libs']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith('.bench.ts'))
  .sort();
if (pathParts.includes('--help') || pathParts.includes('-h')) {
  console.log(`npm run bench -- [PART...]

Runs the benches that have all PARTs in their path, one after the other:

${all.join('\n')}`);
  process.exit(0);
}
const files = all.filter((file) => pathParts.every((part) => file.includes(part)));
if (files.length === 0) {
  console.error(`no bench has ${pathParts.join(' and ')} in its path; "npm run bench -- --help" lists them`);
  process.exit(1);
}
installMissing();
// Else the first process that a bench starts would build, and its memory would be measured with that of the compilers.
if (isBuildStale()) await build();
if (isExplorerStale()) await buildExplorer({ isUrgent: true });
console.log(
  `${cpus().length} x ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
);
const failed = [];
for (const file of files) {
  const args = ['-r', './tools/register.cjs', 'tools/bench-one.cjs', file];
  const bench = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  process.once('SIGTERM', () => bench.kill());
  const [status] = await once(bench, 'exit');
  process.removeAllListeners('SIGTERM');
  if (status === null) process.exit(1); // stopped by a signal
  if (status !== 0) failed.push(file);
}
if (failed.length > 0) {
  console.error(`failed:\n${failed.join('\n')}`);
  process.exit(1);
}
