import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from './free-port';

const ROOT = join(__dirname, '..', '..');
/** Prints a port, and runs on. */
const OTHER_PROCESS = `require('./libs/platform/free-port.ts').findFreePort().then(console.log); process.stdin.resume();`;

describe('findFreePort', () => {
  it('finds a free port below the ephemeral ports', async () => {
    const port = await findFreePort();
    expect(port).toBeGreaterThanOrEqual(10_000);
    expect(port).toBeLessThan(20_000);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });

  it('returns each port once, also while no server listens yet', async () => {
    const ports = await Promise.all(Array.from({ length: 100 }, () => findFreePort()));
    expect(new Set(ports).size).toBe(100);
  });

  it('returns a port of another process only after that process has ended, even if it was killed', async () => {
    const args = ['-r', './tools/register.cjs', '-e', OTHER_PROCESS];
    const other = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
    const [printed] = (await once(other.stdout, 'data')) as [Buffer];
    const taken = Number(printed.toString());
    const drawTaken = () => jest.spyOn(Math, 'random').mockReturnValueOnce((taken - 10_000 + 0.5) / 10_000);
    drawTaken();
    expect(await findFreePort()).not.toBe(taken);
    other.kill('SIGKILL');
    await once(other, 'exit');
    drawTaken();
    expect(await findFreePort()).toBe(taken);
    jest.restoreAllMocks();
  });
});
