import { createServer } from 'node:net';

/** Below the ephemeral ports (Linux from 32768, macOS from 49152), so that no outgoing connection takes the port meanwhile. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;

/** The ports that were returned last. Their servers may not listen yet. */
const returned = new Set<number>();
const MAX_RETURNED = 100;

/** Finds a free port on loopback, for a server that needs a fixed port. Calls of a process return different ports. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (returned.has(port)) continue;
    returned.add(port);
    if (returned.size > MAX_RETURNED) returned.delete(returned.values().next().value ?? port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
