import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@fresnel/domain/primitives';
import { EmbeddedPostgresError } from './embedded-postgres.error';

/** Every user can enter this folder, and only root can write to it. */
const SHARED_FOLDER = '/var/cache/fresnel';

/**
 * Copies the installation of Postgres once per version to a folder that every user can enter. Processes can call this at the
 * same time.
 *
 * @returns the copy
 * @throws EmbeddedPostgresError if this user cannot write there
 */
export function copyPrograms(installation: string, version: string, sharedFolder = SHARED_FOLDER): string {
  const copy = join(sharedFolder, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  try {
    mkdirSync(sharedFolder, { recursive: true });
    chmodSync(sharedFolder, 0o755);
    makeCopy(installation, copy);
    return copy;
  } catch (error) {
    throw new EmbeddedPostgresError(
      `the embedded Postgres runs as another user because Fresnel runs as root, that user cannot enter ${installation}, and its programs cannot be copied to ${copy}: install Fresnel in another folder, start Fresnel as another user, or set DATABASE_URL (${messageOf(error)})`,
      { cause: error },
    );
  }
}

/** The copy gets its name when it is complete. */
function makeCopy(installation: string, copy: string): void {
  const incomplete = mkdtempSync(`${copy}-incomplete-`);
  try {
    execFileSync('cp', ['-R', `${installation}/.`, incomplete], { stdio: 'pipe' });
    execFileSync('chmod', ['-R', 'a+rX', incomplete], { stdio: 'pipe' });
    renameSync(incomplete, copy);
  } catch (error) {
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(incomplete, { recursive: true, force: true });
  }
}
