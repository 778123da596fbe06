import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { tuneGarbageCollection } from '@fresnel/platform';
import { startTestGateway } from './test-gateway';

const ROOT = join(__dirname, '../../..');
const DATABASE_URL = 'GATEWAY_PROCESS_DATABASE_URL';

/** A test gateway in a process of its own, whose memory is measured. */
export class GatewayProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<GatewayProcess> {
    const child = fork(__filename, {
      cwd: ROOT,
      execArgv: ['-r', join(ROOT, 'tools/register.cjs')],
      env: { ...process.env, [DATABASE_URL]: databaseUrl },
    });
    const [url] = (await once(child, 'message')) as [string];
    return new GatewayProcess(child, url);
  }

  /** Resident memory in bytes. */
  async readMemory(): Promise<number> {
    const answer = once(this.child, 'message') as Promise<[number]>;
    this.child.send('memory');
    return (await answer)[0];
  }

  /** Ends it as a deployment does: it drains. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill();
    await exited;
  }
}

async function serve(databaseUrl: string): Promise<void> {
  // As the gateway does.
  tuneGarbageCollection();
  const gateway = await startTestGateway({ databaseUrl, GATEWAY_MAX_WEBSOCKETS: 10_000 });
  process.on('message', () => process.send?.(process.memoryUsage.rss()));
  process.once('SIGTERM', () => {
    void gateway.close().finally(() => process.exit());
  });
  process.send?.(gateway.url);
}

if (require.main === module) void serve(process.env[DATABASE_URL] ?? '');
