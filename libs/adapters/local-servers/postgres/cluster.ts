import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf } from '@fresnel/domain/primitives';
import { SupervisedProcess } from '@fresnel/platform';
import { now, sleep } from '@fresnel/platform/time';
import { type PostgresBinaries } from './binaries';
import { createPassword, writePassword } from './data-dir';
import { EmbeddedPostgresError } from './embedded-postgres.error';
import { findBarrier, type ServerUser } from './server-user';

export const DATABASE = 'postgres';
export const USER = 'fresnel';
export const LOCK_FILE = 'postmaster.pid';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // A Unix socket needs a folder that the server's user can write to. TCP on loopback does not.
  unix_socket_directories: '',
  // A crash of the machine may lose the last commits. They are read from the chain again, and transactions stay atomic.
  synchronous_commit: 'off',
  max_wal_size: '2GB',
  logging_collector: 'off',
};

/** The cluster folder, passed as an open file descriptor. */
const FOLDER_DESCRIPTOR = '/proc/self/fd/3';

/** The cluster folder, and the programs that use it. */
export class Cluster {
  private readonly descriptor: number | undefined;
  /** The path that is passed to the programs. */
  private readonly path: string;

  constructor(
    private readonly folder: string,
    private readonly user: ServerUser | undefined,
    private readonly binaries: PostgresBinaries,
  ) {
    // The server's user may have no access to a parent folder. An open descriptor does not need it.
    if (user && existsSync('/proc/self/fd')) {
      this.descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
      this.path = FOLDER_DESCRIPTOR;
    } else {
      this.requireReachable();
      this.path = folder;
    }
  }

  private requireReachable(): void {
    const barrier = this.user && findBarrier(this.folder, this.user);
    if (barrier === undefined) return;
    throw new EmbeddedPostgresError(
      `the embedded Postgres runs as another user because Fresnel runs as root, and that user cannot enter ${barrier}: choose another FRESNEL_DATA_DIR, start Fresnel as another user, or set DATABASE_URL`,
    );
  }

  /** Creates the cluster if it does not exist. @returns the password of its only role */
  async initialize(passwordFile: string): Promise<string> {
    // The password has this name until the cluster is complete: nothing is stored in one that has it.
    const unfinished = `${passwordFile}.unfinished`;
    if (existsSync(unfinished)) emptyFolder(this.folder);
    if (existsSync(join(this.folder, 'PG_VERSION'))) return this.readPassword(passwordFile);
    const password = createPassword();
    writePassword(unfinished, password);
    const args = [
      '-D',
      this.path,
      '-U',
      USER,
      '-A',
      'scram-sha-256',
      '--pwfile=/dev/stdin',
      '-E',
      'UTF8',
      '--locale=C',
      // There are no data yet that a power failure could lose.
      '--no-sync',
    ];
    // The stdin of a child process is a socket, which cannot be opened as /dev/stdin. `cat` turns it into a pipe.
    const initdb = spawn('/bin/sh', ['-c', 'cat | "$@"', 'initdb', this.binaries.initdb, ...args], {
      ...this.user,
      cwd: '/',
      env: { LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'pipe', this.descriptor ?? 'ignore'],
    });
    try {
      await complete(initdb, password);
    } catch (error) {
      const message = `the embedded Postgres could not be set up in ${this.folder}: ${messageOf(error)}; ${adviceOn(messageOf(error))}`;
      throw new EmbeddedPostgresError(message, { cause: error });
    }
    renameSync(unfinished, passwordFile);
    return password;
  }

  private readPassword(passwordFile: string): string {
    if (existsSync(passwordFile)) return readFileSync(passwordFile, 'utf8').trim();
    throw new EmbeddedPostgresError(
      `${passwordFile} is missing: restore it, delete ${this.folder}, or choose another FRESNEL_DATA_DIR`,
    );
  }

  /** Waits while another Fresnel uses the folder, or while a server whose parent was killed shuts down. */
  async waitUntilFree(timeoutMs: number): Promise<void> {
    const startedAt = now();
    for (;;) {
      const pid = findOwner(this.folder);
      if (pid === null) return;
      if (now() - startedAt > timeoutMs) {
        throw new EmbeddedPostgresError(
          `${this.folder} is in use by process ${pid}: stop the other Fresnel, or choose another FRESNEL_DATA_DIR`,
        );
      }
      await sleep(100);
    }
  }

  /** Starts the server. */
  async run(port: number, onLog: (line: string) => void): Promise<SupervisedProcess> {
    const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    try {
      return await SupervisedProcess.start({
        program: this.binaries.postgres,
        args: ['-D', this.path, ...settings],
        readyLine: /ready to accept connections/,
        onLog,
        logsTo: 'stderr',
        signal: 'INT',
        options: { ...this.user, cwd: '/', env: { LC_ALL: 'C' } },
        file: this.descriptor,
      });
    } catch (error) {
      throw new EmbeddedPostgresError(`the embedded Postgres in ${this.folder} ${messageOf(error)}`, { cause: error });
    }
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }
}

/** initdb asks the system for the name of its user, which a container with a user id of its own does not have. */
function adviceOn(failure: string): string {
  return failure.includes('could not look up effective user ID')
    ? 'start Fresnel as a user that has a name, or set DATABASE_URL'
    : 'choose another FRESNEL_DATA_DIR, or set DATABASE_URL';
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
}

/** Writes a line to a program and waits until it ends. @throws Error with its output if it fails */
async function complete(program: ChildProcess, line: string): Promise<void> {
  program.stdin?.on('error', () => undefined).end(`${line}\n`);
  const [, output] = await Promise.all([once(program, 'close'), program.stderr ? text(program.stderr) : '']);
  if (program.exitCode !== 0) throw new Error(output.trim());
}

/**
 * The process id of the server that uses a cluster folder; null if there is none. After a reboot another program may have
 * that id.
 */
export function findOwner(folder: string): number | null {
  const lock = join(folder, LOCK_FILE);
  if (!existsSync(lock)) return null;
  const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10);
  try {
    process.kill(pid, 0);
    const name = existsSync('/proc/self/comm') ? readFileSync(`/proc/${pid}/comm`, 'utf8').trim() : 'postgres';
    return name === 'postgres' ? pid : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : null;
  }
}
