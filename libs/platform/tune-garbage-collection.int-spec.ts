import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const PROGRAM = `require('./libs/platform/index.ts').tuneGarbageCollection()`;

it('sets flags that V8 has', () => {
  const { status, stderr } = spawnSync(process.execPath, ['-r', './tools/register.cjs', '-e', PROGRAM], { cwd: ROOT });
  // V8 complains about unknown flags there, and goes on.
  expect([status, stderr.toString()]).toEqual([0, '']);
});
