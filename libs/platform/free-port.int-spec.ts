import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort } from './free-port';

describe('findFreePort', () => {
  it('finds a free port below the ephemeral ports', async () => {
    const port = await findFreePort();
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(30_000);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });

  it('returns each port once, also while no server listens yet', async () => {
    const ports = await Promise.all(Array.from({ length: 100 }, () => findFreePort()));
    expect(new Set(ports).size).toBe(100);
  });
});
