#!/usr/bin/env node
// Runs Fresnel from a checkout: installs and builds what is missing, then becomes the app.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`fresnel: Node ${process.versions.node} is too old, 20.19 or later is needed`);
  process.exit(1);
}
if (!isInstalled()) {
  console.error('fresnel: installing packages (once)');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
const { build, isBuildStale } = await import('../tools/build.mjs');
if (isBuildStale()) await build();
await import(pathToFileURL(join(ROOT, 'dist', 'apps', 'standalone', 'main.js')).href);

/** npm notes in node_modules what it installed; the lock file says what it should have. */
function isInstalled() {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  );
}
