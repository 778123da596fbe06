import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

function run(work: string) {
  const program = `require('./libs/platform/index.ts').reportCrashes('test'); ${work}`;
  const { status, stderr } = spawnSync(process.execPath, ['-r', './tools/register.cjs', '-e', program], { cwd: ROOT });
  return { status, stderr: stderr.toString() };
}

describe('a process that reports crashes', () => {
  it('fails if nothing catches an error', () => {
    expect(run(`setImmediate(() => { throw new Error('broken'); })`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('broken'),
    });
  });

  it('fails if it has nothing left to wait for, and its work has not ended', () => {
    expect(run(`new Promise(() => undefined).then(() => process.exit(0))`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('waits for something that cannot happen any more'),
    });
  });

  it('does not fail if its work has ended', () => {
    expect(run(`Promise.resolve().then(() => process.exit(0))`)).toEqual({ status: 0, stderr: '' });
  });
});
