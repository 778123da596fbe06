// The npm packages that `npm run test:prover` needs and nothing else.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { requirePackage } from './npm-package.mjs';

const PLATFORM = `${process.platform}-${process.arch}`;
const PROGRAM = `bin/prover-${PLATFORM}`;

/** Light Protocol's prover, its proving keys, and the programs that verify proofs of these keys. */
const PROVER = {
  name: '@lightprotocol/zk-compression-cli',
  version: '0.27.0',
  sha512: 'aeNG8tWSnvHrlf9SmmUrX+ofl9x+hF7q+AfgK2+69phH6/qAm38biIAjmQhT39nCjpA52+RrZyUi/ucp5qmZyQ==',
  megabytes: 150,
  files: [PROGRAM, 'bin/proving-keys', 'bin/account_compression.so', 'bin/light_system_program_pinocchio.so'],
};

/** The accounts of a local chain: the earlier package lacks the V2 trees that stateless.js expects. */
const ACCOUNTS = {
  name: '@lightprotocol/zk-compression-cli',
  version: '0.28.3',
  sha512: 'EIoS0N0fLYMEy0Ob2rSfy0GRTddXM/EZ+RcPKpeav+bY1GVVWlfnbTPqvW6q1zTnm77is3QRPx6+qEQTJqNHbg==',
  megabytes: 7,
  files: ['accounts'],
};

/** A virtual machine that runs programs of Solana. A package with this checksum is published for one platform. */
const LITE_SVM = {
  name: 'litesvm-linux-x64-gnu',
  version: '1.5.0',
  sha512: 'yYdptWY5DRxTnLZAC+wsQ7NW8VIYUermdIyNzg8TFd93Btw/21V+sNW7VY/O0GxzmVkf1JzVtET/d5KU4zr6yA==',
  megabytes: 5,
  files: ['package.json', 'litesvm.linux-x64-gnu.node'],
};

/**
 * Fetches the packages, once.
 *
 * @returns environment variables with their folders; without a chain on a platform that LiteSVM is not fetched for
 * @throws Error with the reason
 */
export async function requireProverPackages() {
  const LIGHT_PROVER_FOLDER = await requirePackage(PROVER);
  chmodSync(join(LIGHT_PROVER_FOLDER, PROGRAM), 0o755);
  if (PLATFORM !== 'linux-x64') return { LIGHT_PROVER_FOLDER };
  const LIGHT_ACCOUNTS_FOLDER = await requirePackage(ACCOUNTS);
  return { LIGHT_PROVER_FOLDER, LIGHT_ACCOUNTS_FOLDER, LITE_SVM_FOLDER: await requirePackage(LITE_SVM) };
}
