import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@fresnel/domain/primitives';
import { findFreePort, waitUntilReady } from '@fresnel/platform';
import { findBinaries, type PostgresBinaries } from './binaries';
import { EmbeddedPostgresError } from './errors';
import { prepareServerUser, requireReachable, type ServerUser } from './server-user';

const DATABASE = 'postgres';
const USER = 'fresnel';
const LOCK_FILE = 'postmaster.pid';
const PASSWORD_FILE = 'postgres.password';
/** A server whose parent process was killed may still be writing its shutdown checkpoint. */
const TAKEOVER_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 10_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // A Unix socket needs a folder that the server's user can write to. TCP on loopback does not.
  unix_socket_directories: '',
  // A crash of the machine may lose the last commits. They are read from the chain again, and transactions stay atomic.
  synchronous_commit: 'off',
  max_wal_size: '2GB',
  logging_collector: 'off',
};

/**
 * Runs the server and stops it when the parent process closes its end of the pipe, even if that was killed. So the
 * server never outlives its parent. The supervisor has its own process group, so that Ctrl-C in a terminal does not
 * reach it.
 */
const SUPERVISOR = `exec 4<&0
"$@" </dev/null 4<&- &
server=$!
(read -r _ <&4; kill -INT $server) </dev/null 3<&- &
watcher=$!
exec 4<&-
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code`;

/** The cluster folder, passed as an open file descriptor. */
const FOLDER_DESCRIPTOR = '/proc/self/fd/3';

export interface EmbeddedPostgresOptions {
  /** How long to wait until another server releases the folder. */
  takeoverTimeoutMs?: number;
  /** Default: a free port. */
  port?: number;
}

/**
 * A Postgres server in a data folder, from the programs that npm installed.
 *
 * Started with `start`, ended with `stop`. Its data are kept.
 */
export class EmbeddedPostgres {
  private constructor(
    readonly url: string,
    private readonly supervisor: ChildProcess,
  ) {}

  /**
   * @param dataDir created if missing; the cluster is in its subfolder `postgres`
   * @param onLog receives the server's log lines
   * @throws EmbeddedPostgresError whose message says how to fix the problem
   */
  static async start(
    dataDir: string,
    onLog: (line: string) => void,
    { takeoverTimeoutMs = TAKEOVER_TIMEOUT_MS, port: wantedPort }: EmbeddedPostgresOptions = {},
  ): Promise<EmbeddedPostgres> {
    const binaries = findBinaries();
    const clusterDir = resolve(dataDir, 'postgres');
    mkdirSync(clusterDir, { recursive: true, mode: 0o700 });
    const user = prepareServerUser(clusterDir);
    if (user) requireReachable(binaries.postgres, user);
    const cluster = new Cluster(clusterDir, user, binaries);
    try {
      const password = await cluster.initialize(resolve(dataDir, PASSWORD_FILE));
      await cluster.waitUntilFree(takeoverTimeoutMs);
      const port = wantedPort ?? (await findFreePort());
      const supervisor = await cluster.run(port, onLog);
      return new EmbeddedPostgres(`postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`, supervisor);
    } finally {
      cluster.close();
    }
  }

  /**
   * Finds the server that another process has started in a data folder.
   *
   * @returns its URL; null if none runs
   */
  static findRunning(dataDir: string): string | null {
    const clusterDir = resolve(dataDir, 'postgres');
    if (findOwner(clusterDir) === null) return null;
    // The fourth line has the port. See "postmaster.pid" in the documentation of Postgres.
    const port = readFileSync(join(clusterDir, LOCK_FILE), 'utf8').split('\n').at(3)?.trim();
    const password = readFileSync(resolve(dataDir, PASSWORD_FILE), 'utf8').trim();
    return `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
  }

  /** Whether a data folder contains a database. */
  static exists(dataDir: string): boolean {
    return existsSync(resolve(dataDir, 'postgres', 'PG_VERSION'));
  }

  /** Stops the server. Closes open connections and keeps committed data. */
  async stop(): Promise<void> {
    if (this.supervisor.exitCode !== null || this.supervisor.signalCode !== null) return;
    const ended = new Promise((done) => this.supervisor.once('exit', done));
    this.supervisor.stdin?.destroy();
    const timer = setTimeout(() => this.supervisor.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Resolves when the server has exited, for any reason. */
  exited(): Promise<void> {
    return new Promise((done) =>
      this.supervisor.once('exit', () => {
        done();
      }),
    );
  }
}

/** The cluster folder, and the programs that use it. */
class Cluster {
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
      if (user) requireReachable(join(folder, 'x'), user);
      this.path = folder;
    }
  }

  /** Creates the cluster if it does not exist. @returns the password of its only role */
  async initialize(passwordFile: string): Promise<string> {
    if (existsSync(join(this.folder, 'PG_VERSION'))) return readFileSync(passwordFile, 'utf8').trim();
    const password = randomBytes(18).toString('base64url');
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
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
    ];
    // The stdin of a child process is a socket, which cannot be opened as /dev/stdin. `cat` turns it into a pipe.
    const initdb = spawn('/bin/sh', ['-c', 'cat | "$@"', 'initdb', this.binaries.initdb, ...args], {
      ...this.user,
      cwd: '/',
      env: { LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'pipe', this.descriptor ?? 'ignore'],
    });
    initdb.stdin?.end(`${password}\n`);
    try {
      const [, output] = await Promise.all([once(initdb, 'close'), initdb.stderr ? text(initdb.stderr) : '']);
      if (initdb.exitCode !== 0) throw new Error(output.trim());
    } catch (error) {
      const message = `the embedded Postgres could not be set up in ${this.folder}: ${messageOf(error)}`;
      throw new EmbeddedPostgresError(message, { cause: error });
    }
    return password;
  }

  /** Waits while another Fresnel uses the folder, or while a server whose parent was killed shuts down. */
  async waitUntilFree(timeoutMs: number): Promise<void> {
    const startedAt = Date.now();
    for (;;) {
      const pid = findOwner(this.folder);
      if (pid === null) return;
      if (Date.now() - startedAt > timeoutMs) {
        throw new EmbeddedPostgresError(
          `${this.folder} is in use by process ${pid}: stop the other Fresnel, or choose another FRESNEL_DATA_DIR`,
        );
      }
      await sleep(100);
    }
  }

  async run(port: number, onLog: (line: string) => void): Promise<ChildProcess> {
    const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = [this.binaries.postgres, '-D', this.path, ...settings];
    const supervisor = spawn('/bin/sh', ['-c', SUPERVISOR, 'postgres', ...command], {
      ...this.user,
      cwd: '/',
      env: { LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe', this.descriptor ?? 'ignore'],
    });
    try {
      await waitUntilReady(supervisor, { stream: supervisor.stderr, readyLine: /ready to accept connections/, onLog });
    } catch (error) {
      supervisor.stdin?.destroy();
      throw new EmbeddedPostgresError(`the embedded Postgres in ${this.folder} ${messageOf(error)}`, { cause: error });
    }
    return supervisor;
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }
}

/**
 * The process id of the server that uses a cluster folder; null if there is none. After a reboot another program may have
 * that id.
 */
function findOwner(folder: string): number | null {
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
