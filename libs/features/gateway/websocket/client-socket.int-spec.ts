import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { NodeSockets } from '@fresnel/adapters/chain';
import { Reader } from '@fresnel/adapters/store-read';
import { createLogger, createRegistry, readConfig } from '@fresnel/platform';
import { useTime } from '@fresnel/platform/time';
import { FakeSubscriptions } from '@fresnel/testing/chain';
import { TEST_ADDRESS_TREE } from '@fresnel/testing/gateway';
import { ManualTime, until } from '@fresnel/testing/generic';
import WebSocket, { type ClientOptions, WebSocketServer } from 'ws';
import { GATEWAY_CONFIG } from '../gateway.config';
import { toGatewayOptions } from '../gateway.options';
import { ClientTurns } from '../limits/client-turns';
import { PushService } from '../push/client-subscriptions';
import { PushHub } from '../push/push-hub';
import { ClientSocket } from './client-socket';

const logger = createLogger('silent');
const options = toGatewayOptions({
  ...readConfig(GATEWAY_CONFIG, {}),
  DEFAULT_ADDRESS_TREE: TEST_ADDRESS_TREE,
  ACCEPT_TREE_GAPS: false,
});
/** Not connected: no test here asks the tables. */
const reader = new Reader({ url: 'postgres://127.0.0.1:1/x', connections: 1, timeoutMs: 1, applicationName: 'test' });
const hub = new PushHub(reader, logger, createRegistry());
const push = new PushService(reader, hub, new ClientTurns(null), logger, options);

const MEGABYTE = 'x'.repeat(1024 * 1024);
/** More than the system keeps of what a client does not read. */
const MEGABYTES = 32;

describe('the connection of a client', () => {
  let time: ManualTime;
  let restore: () => void;
  let server: WebSocketServer;
  let node: FakeSubscriptions;
  let client: WebSocket;
  beforeEach(async () => {
    time = new ManualTime(0);
    restore = useTime(time);
    node = await FakeSubscriptions.start();
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
  });
  afterEach(async () => {
    client.terminate();
    server.close();
    await node.close();
    restore();
  });

  async function open(options: ClientOptions = {}): Promise<ClientSocket> {
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, options);
    const [accepted] = (await once(server, 'connection')) as [WebSocket];
    const sockets = new NodeSockets(
      { urls: [node.url], timeoutMs: 5_000, maxMessageBytes: 2 * MEGABYTE.length },
      logger,
    );
    const socket = new ClientSocket(accepted, { client: 'a', limiter: null, node: sockets, push, maxSubscriptions: 9 });
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    return socket;
  }

  async function subscribe() {
    client.send('{"jsonrpc":"2.0","id":1,"method":"logsSubscribe","params":["all"]}');
    return node.waitForCall('logsSubscribe');
  }

  it('stays open while both sides show signs of life', async () => {
    const socket = await open();
    const { socket: ofNode } = await subscribe();
    for (let round = 1; round <= 3; round++) {
      const pings = [once(client, 'ping'), once(ofNode, 'ping')];
      socket.checkAlive();
      await Promise.all(pings);
      // The answers to the pings arrive before that to a call that is sent later.
      const answer = once(client, 'message');
      client.send('{"jsonrpc":"2.0","id":2,"method":"slotSubscribe"}');
      await answer;
    }
    expect(client.readyState).toBe(WebSocket.OPEN);
  });

  it('closes if the client shows none', async () => {
    const socket = await open({ autoPong: false });
    socket.checkAlive();
    socket.checkAlive();
    expect((await once(client, 'close'))[0]).toBe(1006);
  });

  it('closes if the node shows none', async () => {
    const socket = await open();
    const { socket: ofNode } = await subscribe();
    ofNode.pause();
    const pinged = once(client, 'ping');
    socket.checkAlive();
    await pinged;
    const answer = once(client, 'message');
    client.send('{"jsonrpc":"2.0","id":2,"method":"nothing"}');
    await answer;
    socket.checkAlive();
    expect((await once(client, 'close'))[0]).toBe(1013);
  });

  it('closes if the client reads too slowly for ten seconds', async () => {
    await open();
    const call = await subscribe();
    client.pause();
    for (let sent = 0; sent < MEGABYTES; sent++) node.notify(call, MEGABYTE);
    await until(() => time.pending > 0);
    time.advance(9_999);
    expect(time.pending).toBe(1);
    time.advance(1);
    client.resume();
    expect((await once(client, 'close'))[0]).toBe(4001);
  });

  it('takes no more from the node until the client has read, and then all of it', async () => {
    await open();
    const call = await subscribe();
    client.pause();
    for (let sent = 0; sent < MEGABYTES; sent++) node.notify(call, MEGABYTE);
    await until(() => time.pending > 0);
    let received = 0;
    client.on('message', (data: Buffer) => {
      if (data.length > MEGABYTE.length) received++;
    });
    client.resume();
    await until(() => received === MEGABYTES);
    await until(() => time.pending === 0);
  });
});
