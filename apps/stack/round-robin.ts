import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface RoundRobin {
  port: number;
  close(): Promise<void>;
}

/**
 * Hands each connection to the next of several ports on loopback, to another where one does not answer. What is sent on it
 * is not looked at.
 */
export async function startRoundRobin(host: string, port: number, targets: readonly number[]): Promise<RoundRobin> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    track(client, sockets);
    turn = (turn + 1) % targets.length;
    const order = targets.map((_, at) => targets[(turn + at) % targets.length]);
    join(client, order, sockets);
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

function join(client: Socket, [port, ...others]: readonly number[], sockets: Set<Socket>): void {
  const far = connect(port, '127.0.0.1');
  track(far, sockets);
  const onRefused = () => {
    if (others.length > 0 && !client.destroyed) join(client, others, sockets);
    else client.destroy();
  };
  far.once('error', onRefused);
  far.once('connect', () => {
    far.off('error', onRefused);
    far.on('error', () => client.destroy());
    client.on('error', () => far.destroy());
    client.on('close', () => far.destroy());
    far.on('close', () => client.destroy());
    client.pipe(far);
    far.pipe(client);
  });
}

function track(socket: Socket, sockets: Set<Socket>): void {
  socket.setNoDelay(true);
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => undefined);
}
