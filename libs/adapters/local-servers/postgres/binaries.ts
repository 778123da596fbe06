import { existsSync, readFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error';
import { findBarrier, type ServerUser } from './server-user';
import { copyPrograms } from './shared-programs';

/** Paths of the Postgres programs. */
export interface PostgresBinaries {
  /** The folder that contains all of the installation. */
  folder: string;
  initdb: string;
  postgres: string;
}

/**
 * Finds the programs that npm installed for this platform. If the server's user cannot reach them, for example because the
 * checkout is in the home of root, that user gets a copy.
 *
 * @param user the user of the server, if it is not the user of this process
 * @throws EmbeddedPostgresError if they are not installed, or cannot be copied
 */
export function findBinaries(user: ServerUser | undefined): PostgresBinaries {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const packageFolder = resolvePackage(name);
  const installed = binariesIn(join(packageFolder, 'native'));
  if (!packageFolder || !existsSync(installed.postgres)) {
    throw new EmbeddedPostgresError(
      `the package ${name} is not installed: install again without --omit=optional, or set DATABASE_URL to use another Postgres`,
    );
  }
  if (!user || findBarrier(installed.postgres, user) === undefined) return installed;
  return binariesIn(copyPrograms(installed.folder, readVersion(packageFolder)));
}

function binariesIn(folder: string): PostgresBinaries {
  return { folder, initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
}

/** Folder of the package; empty without it. Its entry point is not imported: it is an ES module that only joins paths. */
function resolvePackage(name: string): string {
  try {
    return resolve(require.resolve(name), '..', '..');
  } catch {
    return '';
  }
}

function readVersion(packageFolder: string): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  return version;
}
