// Installs and builds what is missing, then runs an app in this process: `node tools/run-app.mjs stack`.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { installMissing } from './install.mjs';
import { requireSystemPackages } from './system-packages.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string} name a folder of apps/ */
export async function runApp(name) {
  requireSystemPackages(localServers(name));
  installMissing();
  const { build, buildExplorer, isBuildStale, isExplorerStale } = await import('./build.mjs');
  if (isBuildStale()) await build();
  // Nobody waits for the explorer: the gateway serves it as soon as it is built.
  if (isExplorerStale()) {
    buildExplorer({ isUrgent: false }).catch((/** @type {Error} */ error) => {
      console.error(`fresnel: ${error.message}`);
    });
  }
  // Not `import`: that scans the whole bundle for exported names, which takes longer than to load it.
  createRequire(import.meta.url)(join(ROOT, 'dist', 'apps', name, 'main.js'));
}

/**
 * The servers that the stack starts itself, apart from Postgres, which is an npm package.
 *
 * @param {string} name a folder of apps/
 * @returns {('kafka' | 'redis')[]}
 */
function localServers(name) {
  if (name !== 'stack' || argv.some((arg) => arg === '--help' || arg === '-h')) return [];
  /** @type {['kafka' | 'redis', string | undefined][]} */
  const servers = [
    ['kafka', process.env.KAFKA_BROKERS],
    ['redis', process.env.REDIS_URL],
  ];
  return servers.filter(([, given]) => given === undefined).map(([server]) => server);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [name] = argv.splice(2, 1);
  await runApp(name);
}
