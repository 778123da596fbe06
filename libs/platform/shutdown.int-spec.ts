import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Shuts down at a signal, which takes until its stdin ends, and exits with code 0. */
const PROGRAM = `
  const { createLogger, listenForShutdown } = require('./libs/platform/index.ts');
  listenForShutdown(createLogger('silent')).addEventListener('abort', () => {
    console.log('shutting down');
    process.stdin.on('end', () => process.exit(0)).resume();
  });
  setInterval(() => undefined, 1_000);
  console.log('ready');`;

async function startShutdown(signal: NodeJS.Signals) {
  const child = spawn(process.execPath, ['-r', './tools/register.cjs', '-e', PROGRAM], { cwd: ROOT });
  await once(child.stdout, 'data');
  child.kill(signal);
  await once(child.stdout, 'data');
  return child;
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s starts a shutdown', async (signal) => {
  const child = await startShutdown(signal);
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it.each(['SIGTERM', 'SIGINT'] as const)('a second signal %s ends it, and another SIGHUP does not', async (signal) => {
  const child = await startShutdown('SIGHUP');
  child.kill('SIGHUP');
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([1, null]);
});
