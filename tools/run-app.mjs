// Runs an app from a checkout: installs and builds what is missing, then becomes the app. `node tools/run-app.mjs stack`.

import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installMissing } from './install.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string} name a folder of apps/ */
export async function runApp(name) {
  installMissing();
  const { build, isBuildStale } = await import('./build.mjs');
  if (isBuildStale()) await build();
  await import(pathToFileURL(join(ROOT, 'dist', 'apps', name, 'main.js')).href);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [name] = argv.splice(2, 1);
  await runApp(name);
}
