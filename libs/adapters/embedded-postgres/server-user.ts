import { spawnSync } from 'node:child_process';
import { chownSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './errors';

/** Whom the server runs as; undefined: as ourselves. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Postgres refuses to run as root. Root gives it to one of these, whichever there is first. */
const CANDIDATES = ['postgres', 'nobody'];

/**
 * Chooses the server's user and makes the cluster folder its own.
 *
 * @throws EmbeddedPostgresError when root finds no user to run it as
 */
export function prepareServerUser(clusterDir: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner: Stats = statSync(clusterDir);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = CANDIDATES.map(lookUp).find((found) => found !== undefined);
  if (!user) {
    throw new EmbeddedPostgresError(
      'Postgres does not run as root, and there is no user "postgres" or "nobody" to run it as: start Fresnel as another user, or set DATABASE_URL',
    );
  }
  chownSync(clusterDir, user.uid, user.gid);
  return user;
}

function lookUp(name: string): ServerUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number.parseInt(spawnSync('id', [flag, name]).stdout.toString(), 10));
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}

/**
 * The server's user has to reach the programs. The cluster folder is passed as an open descriptor where that is
 * possible, so the folders above it do not matter there.
 *
 * @throws EmbeddedPostgresError naming the first folder that is closed to it
 */
export function requireReachable(path: string, user: ServerUser): void {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) {
      throw new EmbeddedPostgresError(
        `the embedded Postgres runs as user ${user.uid} because we are root, and that user cannot enter ${folder}: move the checkout elsewhere, start Fresnel as another user, or set DATABASE_URL`,
      );
    }
  }
}
