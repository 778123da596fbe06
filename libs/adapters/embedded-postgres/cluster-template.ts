import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type PostgresBinaries } from './binaries';
import { Cluster } from './cluster';
import { createPassword, PASSWORD_FILE, writePassword } from './data-dir';
import { type ServerUser } from './server-user';

/** The copy of a template until it is complete. */
const UNFINISHED_COPY = 'postgres.copy-';
/** No copy takes that long. */
const MAX_COPY_MS = 60_000;

/** A data folder that a start can take. */
export function copyOf(template: string): string {
  return `${template}.copy`;
}

/**
 * Moves the copy that `makeCopy` has made to a data folder without a cluster. If this process is root, the owner of the copy runs the
 * server.
 *
 * @returns false if there is no copy, its owner cannot run the server, or it is on another file system
 */
export function takeCopy(template: string, dataDir: string): boolean {
  const copy = copyOf(template);
  // Only one process can rename the copy, so its password stays with it.
  const taken = `${template}.taken-${process.pid}`;
  try {
    const { uid, dev } = statSync(join(copy, 'postgres'));
    const ownUid = process.getuid?.();
    const isUsable = ownUid === 0 ? uid !== 0 : uid === ownUid;
    if (!isUsable || dev !== statSync(dataDir).dev) return false;
    renameSync(copy, taken);
    writePassword(resolve(dataDir, PASSWORD_FILE), readFileSync(join(taken, PASSWORD_FILE), 'utf8').trim());
    renameSync(join(taken, 'postgres'), resolve(dataDir, 'postgres'));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(taken, { recursive: true, force: true });
  }
}

/**
 * Creates the cluster of a data folder from a template, with a password of its own. It gets its name when it is complete. If it
 * cannot be copied, for example because another user made the template, there is no cluster.
 */
export async function copyTemplate(
  template: string,
  dataDir: string,
  user: ServerUser | undefined,
  binaries: PostgresBinaries,
): Promise<void> {
  if (!existsSync(template)) return;
  let folder: string | undefined;
  try {
    removeOldCopies(dataDir, UNFINISHED_COPY);
    folder = mkdtempSync(join(dataDir, UNFINISHED_COPY));
    if (user) chownSync(folder, user.uid, user.gid);
    const password = createPassword();
    await new Cluster(folder, user, binaries).copy(template, password);
    writePassword(resolve(dataDir, PASSWORD_FILE), password);
    renameSync(folder, resolve(dataDir, 'postgres'));
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the copies of processes that were killed. Another process may be about to rename a newer one. */
export function removeOldCopies(folder: string, prefix: string): void {
  for (const name of readdirSync(folder).filter((name) => name.startsWith(prefix))) {
    const path = join(folder, name);
    // `cp` sets the modification time to that of the template.
    const { ctimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { ctimeMs: Infinity };
    if (Date.now() - ctimeMs > MAX_COPY_MS) rmSync(path, { recursive: true, force: true });
  }
}
