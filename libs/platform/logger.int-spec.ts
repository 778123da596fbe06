import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { PATIENCE_MS } from '@fresnel/testing/generic';

const ROOT = join(__dirname, '..', '..');

/** Starts a process that logs two lines and exits on SIGTERM. It prints "ready" when it waits. */
async function startLogger(stderr: 'pipe' | number = 'pipe'): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const program = `
    const logger = require('./libs/platform/logger.ts').createLogger('info');
    process.on('SIGTERM', () => {
      logger.info('shutting down');
      logger.info('stopped');
      process.exit(7);
    });
    setInterval(() => undefined, 1_000);
    console.log('ready');`;
  const child = spawn(process.execPath, ['-r', './tools/register.cjs', '-e', program], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', stderr],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  await once(child.stdout, 'data');
  return child;
}

describe('a process that logs and exits', () => {
  it('loses no line', async () => {
    const child = await startLogger();
    child.kill('SIGTERM');
    const lines = (await text(child.stderr)).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['shutting down', 'stopped']);
  });

  it('exits although nothing reads its log any more', async () => {
    const child = await startLogger();
    child.stderr.destroy();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    expect(await once(child, 'exit')).toEqual([7, null]);
    clearTimeout(timer);
  });

  (existsSync('/dev/full') ? it : it.skip)('does not end although the disk of its log is full', async () => {
    const child = await startLogger(openSync('/dev/full', 'w'));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
