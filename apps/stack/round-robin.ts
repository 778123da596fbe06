import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface RoundRobin {
  port: number;
  close(): Promise<void>;
}

/**
 * Forwards each connection to the next of several ports on loopback. If a port refuses the connection, the one after it is
 * tried. Bytes are forwarded unchanged.
 */
export async function startRoundRobin(host: string, port: number, targets: readonly number[]): Promise<RoundRobin> {
  const sockets = new Set<Socket>();
  let next = 0;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    track(client, sockets);
    next = (next + 1) % targets.length;
    const order = targets.map((_, at) => targets[(next + at) % targets.length]);
    forward(client, order, sockets);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function forward(client: Socket, [port, ...others]: readonly number[], sockets: Set<Socket>): void {
  const upstream = connect(port, '127.0.0.1');
  track(upstream, sockets);
  const onRefused = () => {
    if (others.length > 0 && !client.destroyed) forward(client, others, sockets);
    else client.destroy();
  };
  upstream.once('error', onRefused);
  upstream.once('connect', () => {
    upstream.off('error', onRefused);
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
  });
}

function track(socket: Socket, sockets: Set<Socket>): void {
  socket.setNoDelay(true);
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => undefined);
}
