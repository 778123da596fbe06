import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below the ephemeral ports (Linux from 32768, macOS from 49152), so that no outgoing connection takes the port meanwhile. */
const FIRST_PORT = 10_000;
const PORT_COUNT = 10_000;

/**
 * Finds a free port on loopback, for a server that needs a fixed port, or that starts again on its port. Until this process
 * ends, no other call returns the port, in this process or in another one.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if ((await lock(port)) && (await isFree(port))) return port;
  }
}

/** Finds a free port whose next port is free as well. */
export async function findFreePortPair(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    if ((await lock(port + 1)) && (await isFree(port + 1))) return port;
  }
}

/** The lock of a port is a UDP socket of the same number. The system releases it when the process ends, even if it is killed. */
function lock(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      resolve(true);
    });
  });
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
