import { createServer } from 'node:net';

/** Below the ephemeral ports (Linux from 32768, macOS from 49152), so that no outgoing connection takes the port meanwhile. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;

/** Finds a free port on loopback, for a server that needs a fixed port. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
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
