// Deploys the local overlay to the cluster of KUBECONFIG, tests it, and deletes it: `npm run test:k8s`. The nodes must have the
// images fresnel:local and fresnel-servers:local. The upgrade begins with the image of the tag FRESNEL_PREVIOUS_TAG, if they have that,
// too. If CONFORMANCE_DIR has recorded chain data, compares the answers to it.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installMissing } from './install.mjs';
import { requireKustomize } from './kustomize.mjs';

if (!process.env.KUBECONFIG) {
  console.error('fresnel: set KUBECONFIG to the configuration of a cluster for tests');
  process.exit(2);
}
installMissing();
requireKustomize();
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const args = ['--config', 'libs/testing/k8s/jest.config.cjs', '--runInBand', ...process.argv.slice(2)];
if (!process.env.FRESNEL_PREVIOUS_TAG) {
  console.error('fresnel: only the manifests are upgraded, because FRESNEL_PREVIOUS_TAG names no other image');
}
run(process.execPath, [jest, ...args]);

const conformance = process.env.CONFORMANCE_DIR;
if (conformance && existsSync(join(conformance, 'conformance'))) {
  run(join(conformance, 'tools', 'conform', 'conform'), [
    ...[
      '--pack',
      join(conformance, 'conformance'),
      '--cwd',
      process.cwd(),
      '--methods',
      'primary',
      '--url-form',
      'both',
    ],
    ...['--timeout-s', '900', '--keep-going', '--start', 'node tools/k8s-deployment.cjs'],
  ]);
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
