import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { byFaultForm } from '@fresnel/testing/generic';

const ROOT = join(__dirname, '../../..');
/** A run that hangs fails with what it has printed, before the suite's own limit ends it without. A busy machine takes a tenth of it. */
const LIMIT_MS = byFaultForm({ short: 15, long: 120 }) * 60_000;

jest.setTimeout(LIMIT_MS + 60_000);

/** Runs a level in a process of its own: the code takes twice as long in Jest, whose imports are looked up at each use. */
function simulate(level: number, seeds: number): Promise<{ isRight: boolean; output: string }> {
  const args = ['-r', './tools/register.cjs', join(__dirname, 'simulate.ts')];
  return new Promise((done) => {
    execFile(
      process.execPath,
      [...args, '--level', String(level), '--seeds', String(seeds)],
      { cwd: ROOT, maxBuffer: Infinity, timeout: LIMIT_MS },
      (error, stdout, stderr) => {
        done({ isRight: error === null, output: stdout + stderr + (error?.message ?? '') });
      },
    );
  });
}

describe('the simulation', () => {
  it.each([
    { level: 1, seeds: byFaultForm({ short: 20, long: 200 }) },
    { level: 2, seeds: byFaultForm({ short: 100, long: 1_000 }) },
    { level: 3, seeds: byFaultForm({ short: 5, long: 50 }) },
  ])('finds nothing with $seeds seeds of level $level', async ({ level, seeds }) => {
    const { isRight, output } = await simulate(level, seeds);
    expect(isRight ? '' : output).toBe('');
    expect(output).toContain(`${seeds} seeds of level ${level} (`);
    expect(output).toContain(', 0 findings');
  });
});
