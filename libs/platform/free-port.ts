import { createServer } from 'node:net';

/**
 * Below what systems hand out by themselves (Linux from 32768, macOS from 49152): between here and its use no connection
 * and no server that takes any port can take this one.
 */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port on loopback for a server that needs a fixed port. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((tell) => {
    const server = createServer();
    server.once('error', () => {
      tell(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        tell(true);
      });
    });
  });
}
