// The npm packages that `npm run test:prover` needs and nothing else.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { requirePackage } from './npm-package.mjs';

const PLATFORM = `${process.platform}-${process.arch}`;
const PROGRAM = `bin/prover-${PLATFORM}`;

/** Light Protocol's prover, and its proving keys. */
const PROVER = {
  name: '@lightprotocol/zk-compression-cli',
  version: '0.27.0',
  sha512: 'aeNG8tWSnvHrlf9SmmUrX+ofl9x+hF7q+AfgK2+69phH6/qAm38biIAjmQhT39nCjpA52+RrZyUi/ucp5qmZyQ==',
  megabytes: 150,
  files: [PROGRAM, 'bin/proving-keys'],
};

/**
 * Fetches the packages, once.
 *
 * @returns environment variables with their folders
 * @throws Error with the reason
 */
export async function requireProverPackages() {
  const LIGHT_PROVER_FOLDER = await requirePackage(PROVER);
  chmodSync(join(LIGHT_PROVER_FOLDER, PROGRAM), 0o755);
  return { LIGHT_PROVER_FOLDER };
}
