import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@fresnel/domain/primitives';
import { findFreePort, waitUntilReady } from '@fresnel/platform';
import { findBinaries, type PostgresBinaries } from './binaries';
import { EmbeddedPostgresError } from './errors';
import { prepareServerUser, requireReachable, type ServerUser } from './server-user';

const DATABASE = 'postgres';
const USER = 'fresnel';
/** A server that lost its owner a moment ago is still writing its last checkpoint. */
const TAKEOVER_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 10_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // The socket folder would have to be writable for the server's user; TCP on loopback needs none.
  unix_socket_directories: '',
  // A crash of the machine may lose the last moments. They are read from the chain again; nothing is torn.
  synchronous_commit: 'off',
  max_wal_size: '2GB',
  logging_collector: 'off',
};

/**
 * Runs the server and ends it when our end of the pipe closes, however we end: nothing outlives us, not even after a
 * kill. A process group of its own keeps a Ctrl-C of the terminal away from it.
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

/** Where the cluster folder is handed over as an open descriptor. */
const FOLDER_DESCRIPTOR = '/proc/self/fd/3';

export interface EmbeddedPostgresOptions {
  /** How long another server may take to leave the folder. */
  takeoverTimeoutMs?: number;
  /** A free one where none is given. */
  port?: number;
}

/**
 * A Postgres of our own below a data folder, from the programs that npm installed.
 *
 * Started with `start`, ended with `stop`; its data stay.
 */
export class EmbeddedPostgres {
  private constructor(
    readonly url: string,
    private readonly supervisor: ChildProcess,
  ) {}

  /**
   * @param dataDir made where it is missing; the cluster is its folder `postgres`
   * @param onLog receives the server's log lines
   * @throws EmbeddedPostgresError that says what to do
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
      const password = cluster.initialize(resolve(dataDir, 'postgres.password'));
      await cluster.waitUntilFree(takeoverTimeoutMs);
      const port = wantedPort ?? (await findFreePort());
      const supervisor = await cluster.run(port, onLog);
      return new EmbeddedPostgres(`postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`, supervisor);
    } finally {
      cluster.close();
    }
  }

  /** Ends the server; open connections are cut, committed data stay. */
  async stop(): Promise<void> {
    if (this.supervisor.exitCode !== null || this.supervisor.signalCode !== null) return;
    const ended = new Promise((done) => this.supervisor.once('exit', done));
    this.supervisor.stdin?.destroy();
    const timer = setTimeout(() => this.supervisor.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Resolves when the server has exited, for whatever reason. */
  exited(): Promise<void> {
    return new Promise((done) =>
      this.supervisor.once('exit', () => {
        done();
      }),
    );
  }
}

/** One cluster folder and how its programs are called. */
class Cluster {
  private readonly descriptor: number | undefined;
  /** The folder as passed to the programs. */
  private readonly path: string;

  constructor(
    private readonly folder: string,
    private readonly user: ServerUser | undefined,
    private readonly binaries: PostgresBinaries,
  ) {
    // Another user may be shut out of a folder above ours; through an open descriptor it need not pass there.
    if (user && existsSync('/proc/self/fd')) {
      this.descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
      this.path = FOLDER_DESCRIPTOR;
    } else {
      if (user) requireReachable(join(folder, 'x'), user);
      this.path = folder;
    }
  }

  /** Makes the cluster where there is none. @returns the password of its only role */
  initialize(passwordFile: string): string {
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
    // Our end is a socket, which cannot be opened by name; behind cat it is a pipe.
    const { status, stderr, error } = spawnSync(
      '/bin/sh',
      ['-c', 'cat | "$@"', 'initdb', this.binaries.initdb, ...args],
      {
        ...this.user,
        cwd: '/',
        env: { LC_ALL: 'C' },
        input: `${password}\n`,
        stdio: ['pipe', 'pipe', 'pipe', this.descriptor ?? 'ignore'],
      },
    );
    if (status !== 0) {
      throw new EmbeddedPostgresError(
        `the embedded Postgres could not be set up in ${this.folder}: ${error?.message ?? stderr.toString().trim()}`,
      );
    }
    return password;
  }

  /** Another Fresnel may have the folder, or a server whose owner was killed is just ending. */
  async waitUntilFree(timeoutMs: number): Promise<void> {
    const startedAt = Date.now();
    for (;;) {
      const pid = this.ownerPid();
      if (pid === null) return;
      if (Date.now() - startedAt > timeoutMs) {
        throw new EmbeddedPostgresError(
          `${this.folder} is in use by process ${pid}: stop the other Fresnel, or choose another FRESNEL_DATA_DIR`,
        );
      }
      await sleep(100);
    }
  }

  /** The server that has the folder, null when it is gone. After a crash of the machine the number may be another's. */
  private ownerPid(): number | null {
    const lock = join(this.folder, 'postmaster.pid');
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
