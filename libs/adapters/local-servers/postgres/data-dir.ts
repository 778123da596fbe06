import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { prepareServerUser, type ServerUser } from './server-user';

export const PASSWORD_FILE = 'postgres.password';

/** Whether a data folder contains a cluster. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(resolve(dataDir, 'postgres', 'PG_VERSION'));
}

/** Creates the cluster folder if it does not exist. @returns the user of the server, if it is not the user of this process */
export function prepareClusterDir(dataDir: string): ServerUser | undefined {
  const clusterDir = resolve(dataDir, 'postgres');
  mkdirSync(clusterDir, { recursive: true, mode: 0o700 });
  return prepareServerUser(clusterDir);
}

export function createPassword(): string {
  return randomBytes(18).toString('base64url');
}

export function writePassword(file: string, password: string): void {
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
}
