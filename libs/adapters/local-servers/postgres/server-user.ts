import { spawnSync } from 'node:child_process';
import { chownSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error';

/** The user that the server runs as. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Postgres does not run as root. If this process is root, the first of these users that exists runs the server. */
const CANDIDATES = ['postgres', 'nobody'] as const;

/**
 * Selects the user of the server and makes it the owner of the cluster folder.
 *
 * @returns undefined if this process is not root: the server runs as the same user
 * @throws EmbeddedPostgresError if this process is root and there is no user to run the server
 */
export function prepareServerUser(clusterDir: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner: Stats = statSync(clusterDir);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const [first, second] = CANDIDATES;
  const user = lookUp(first) ?? lookUp(second);
  if (!user) {
    throw new EmbeddedPostgresError(
      `Postgres does not run as root, and there is no user ${CANDIDATES.join(' or ')} to run it: start Fresnel as another user, or set DATABASE_URL`,
    );
  }
  chownSync(clusterDir, user.uid, user.gid);
  return user;
}

function lookUp(name: string): ServerUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number.parseInt(spawnSync('id', [flag, name]).stdout.toString(), 10));
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}

/** The first file or folder on a path that a user may not enter or execute; undefined if the user can execute the path. */
export function findBarrier(path: string, user: ServerUser): string | undefined {
  const parents = path === dirname(path) ? undefined : findBarrier(dirname(path), user);
  if (parents !== undefined) return parents;
  const { mode, uid, gid } = statSync(path);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & bit) === 0 ? path : undefined;
}
