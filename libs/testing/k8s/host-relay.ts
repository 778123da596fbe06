import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { kubectl } from './kubectl';

/** A port of this machine that pods can connect to. */
export interface HostRelay {
  url: string;
  stop(): void;
}

/** Relays connections of pods to a server that listens on loopback only. @param url of the server */
export async function startHostRelay(url: string): Promise<HostRelay> {
  const { port } = new URL(url);
  const host = await findHostAddress();
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    const close = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('error', close).on('close', close).pipe(upstream);
    upstream.on('error', close).on('close', close).pipe(client);
  });
  await once(server.listen(0, host), 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
    },
  };
}

/** The address from which this machine connects to the API server. In a local cluster, pods can connect to it. */
async function findHostAddress(): Promise<string> {
  const server = await kubectl(['config', 'view', '--minify', '--output', 'jsonpath={.clusters[0].cluster.server}']);
  const { hostname, port, protocol } = new URL(server);
  const socket = connect(Number(port || (protocol === 'https:' ? 443 : 80)), hostname);
  await once(socket, 'connect');
  const { localAddress = '127.0.0.1' } = socket;
  socket.destroy();
  return localAddress;
}
