// Tests validity proofs with Light Protocol's prover, and a wallet on a chain with its programs, which it fetches:
// `npm run test:prover`. It exits with status 75 if they cannot be fetched.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { installMissing } from './install.mjs';
import { requireProverPackages } from './prover-packages.mjs';

/** The usual status of a failure that may go away. */
const NOT_FETCHED = 75;

installMissing();
const folders = await requireProverPackages().catch((/** @type {Error} */ error) => {
  console.error(`fresnel: ${error.message}`);
  process.exit(NOT_FETCHED);
});
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const config = 'libs/testing/validity-proofs/jest.config.cjs';
const { status } = spawnSync(process.execPath, [jest, '--config', config, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...folders },
});
process.exit(status ?? 1);
