import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Exit, findFreePort, type SupervisedProcess } from '@fresnel/platform';
import { findBinaries } from './binaries';
import { Cluster, DATABASE, findOwner, LOCK_FILE, USER } from './cluster';
import { hasCluster, PASSWORD_FILE, prepareClusterDir } from './data-dir';

/** A server whose parent process was killed may still be writing its shutdown checkpoint. */
const TAKEOVER_TIMEOUT_MS = 10_000;

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
    /** The folder of the programs that run: those that npm installed, or a copy. */
    readonly programs: string,
    private readonly server: SupervisedProcess,
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
    const clusterDir = resolve(dataDir, 'postgres');
    const user = prepareClusterDir(dataDir);
    const binaries = findBinaries(user);
    const port = wantedPort ?? (await findFreePort());
    const cluster = new Cluster(clusterDir, user, binaries);
    try {
      const password = await cluster.initialize(resolve(dataDir, PASSWORD_FILE));
      await cluster.waitUntilFree(takeoverTimeoutMs);
      return new EmbeddedPostgres(urlOf(password, port), binaries.folder, await cluster.run(port, onLog));
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
    return urlOf(password, port ?? '');
  }

  /** Whether a data folder contains a database. */
  static exists(dataDir: string): boolean {
    return hasCluster(dataDir);
  }

  /** Stops the server. Closes open connections and keeps committed data. */
  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Resolves when the server has exited, for any reason. */
  exited(): Promise<Exit> {
    return this.server.exited();
  }
}

/** Says that there is no TLS: otherwise clients do as PGSSLMODE says, which is meant for another server. */
function urlOf(password: string, port: number | string): string {
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`;
}
