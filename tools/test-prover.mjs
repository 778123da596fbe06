// Tests validity proofs with Light Protocol's prover, which it fetches: `npm run test:prover`.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { installMissing } from './install.mjs';
import { requireLightProver } from './light-prover.mjs';

installMissing();
const folder = await requireLightProver().catch((/** @type {Error} */ error) => {
  console.error(`fresnel: ${error.message}`);
  process.exit(1);
});
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const config = 'libs/testing/validity-proofs/jest.config.cjs';
const { status } = spawnSync(process.execPath, [jest, '--config', config, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, LIGHT_PROVER_FOLDER: folder },
});
process.exit(status ?? 1);
