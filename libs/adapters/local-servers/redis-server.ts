import { mkdirSync } from 'node:fs';
import { findFreePort } from '@fresnel/platform';
import { requireProgram, SupervisedProcess } from './supervised-process';

export interface RedisServerOptions {
  /** Made where it is missing. */
  folder: string;
  /** A free one where none is given. */
  port?: number;
  onLog?: (line: string) => void;
  /** Whether it finds the data of the last time, but for its last second where it crashed. */
  keepsData?: boolean;
}

/** The machine's own Redis on loopback. */
export class RedisServer {
  private constructor(
    readonly url: string,
    private readonly server: SupervisedProcess,
  ) {}

  /** @throws LocalServerError that says what to do */
  static async start({
    folder,
    port,
    onLog = () => undefined,
    keepsData = false,
  }: RedisServerOptions): Promise<RedisServer> {
    requireProgram('redis-server', 'apt-get install -y redis-server');
    mkdirSync(folder, { recursive: true });
    const chosen = port ?? (await findFreePort());
    const settings = { port: chosen, bind: '127.0.0.1', dir: folder, save: '', appendonly: keepsData ? 'yes' : 'no' };
    const server = await SupervisedProcess.start({
      name: 'Redis',
      program: 'redis-server',
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      folder,
      readyLine: /Ready to accept connections/,
      onLog,
    });
    return new RedisServer(`redis://127.0.0.1:${chosen}`, server);
  }

  /** Ends the server; what it held is gone. */
  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Ends it at once, as a crash would. */
  kill(): Promise<void> {
    return this.server.kill();
  }

  /** Resolves when the server has exited, for whatever reason. */
  exited(): Promise<void> {
    return this.server.exited();
  }
}
