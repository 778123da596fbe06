// Writes the npm package of Fresnel to dist/package: `npm run package:make`, then `npm publish dist/package`.

import { spawnSync } from 'node:child_process';
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, buildExplorer, isBuildStale, isBundled, isExplorerStale } from './build.mjs';
import { installMissing } from './install.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist', 'package');
const COMMAND = 'bin/fresnel.cjs';

/** What the package contains: path in the repository, and in the package. */
const CONTENTS = {
  'dist/apps/standalone': 'dist/apps/standalone',
  'dist/explorer': 'dist/explorer',
  'dist/swagger-ui': 'dist/swagger-ui',
  'fixtures/demo': 'fixtures/demo',
  docs: 'docs',
  LICENSE: 'LICENSE',
  'tools/package/README.md': 'README.md',
  'tools/package/fresnel.cjs': COMMAND,
};

installMissing();
if (isBuildStale()) await build();
if (isExplorerStale()) await buildExplorer({ isUrgent: true });
await rm(OUT, { recursive: true, force: true });
for (const [from, to] of Object.entries(CONTENTS)) {
  await cp(join(ROOT, from), join(OUT, to), { recursive: true });
}
await writeFile(join(OUT, 'package.json'), `${JSON.stringify(await makeManifest(), null, 2)}\n`);
await pinDependencies();

/** The manifest of the repository, without what only developers need. */
async function makeManifest() {
  const { name, version, description, license, engines, dependencies, optionalDependencies } = await readManifest();
  return {
    name,
    version,
    description,
    license,
    engines,
    bin: { fresnel: COMMAND },
    files: ['bin', 'dist', 'docs', 'fixtures'],
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([dependency]) => !isBundled(dependency))),
    optionalDependencies,
  };
}

/**
 * @returns {Promise<{
 *   name: string,
 *   version: string,
 *   description: string,
 *   license: string,
 *   engines: object,
 *   dependencies: Record<string, string>,
 *   optionalDependencies: Record<string, string>,
 * }>}
 */
async function readManifest() {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
}

/** Users get the versions of the lock file, with its checksums: npm reads a lock file of this name from a package. */
async function pinDependencies() {
  const lock = join(OUT, 'package-lock.json');
  await cp(join(ROOT, 'package-lock.json'), lock);
  const args = ['prune', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { cwd: OUT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(1);
  await rename(lock, join(OUT, 'npm-shrinkwrap.json'));
}
