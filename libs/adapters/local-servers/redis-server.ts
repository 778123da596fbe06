import { mkdirSync } from 'node:fs';
import { type Exit, findFreePort, type SupervisedProcess } from '@fresnel/platform';
import { requireProgram, startServer } from './start-server';

export interface RedisServerOptions {
  /** Created if missing. */
  folder: string;
  /** Default: a free port. */
  port?: number;
  onLog?: (line: string) => void;
  /** Whether data are kept after a restart. A crash may lose the last second. */
  keepsData?: boolean;
  /** Settings of the server that differ from those of every local server. */
  settings?: Readonly<Record<string, string>>;
}

/** A Redis server on loopback, from the installed `redis-server`. */
export class RedisServer {
  private constructor(
    readonly url: string,
    private readonly server: SupervisedProcess,
  ) {}

  /** @throws LocalServerError whose message says how to fix the problem */
  static async start({
    folder,
    port,
    onLog,
    keepsData = false,
    settings: further = {},
  }: RedisServerOptions): Promise<RedisServer> {
    requireProgram('redis-server', 'apt-get install -y redis-server');
    mkdirSync(folder, { recursive: true });
    const actualPort = port ?? (await findFreePort());
    const settings = {
      port: actualPort,
      bind: '127.0.0.1',
      dir: folder,
      save: '',
      appendonly: keepsData ? 'yes' : 'no',
      ...further,
    };
    const server = await startServer('Redis', folder, {
      program: 'redis-server',
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      readyLine: /Ready to accept connections/,
      onLog,
    });
    return new RedisServer(`redis://127.0.0.1:${actualPort}`, server);
  }

  /** Stops the server. Its data are lost unless `keepsData` is set. */
  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Kills the server, like a crash. */
  kill(): Promise<void> {
    return this.server.kill();
  }

  /** Resolves when the server has exited, for any reason. */
  exited(): Promise<Exit> {
    return this.server.exited();
  }
}
