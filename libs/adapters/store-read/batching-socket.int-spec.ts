import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { BatchingSocket } from './batching-socket';

describe('a batching socket', () => {
  let server: Server;
  let socket: BatchingSocket;
  let received: Promise<string>;
  beforeEach(async () => {
    server = createServer();
    received = once(server, 'connection').then(([client]) => text(client as Socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    socket = new BatchingSocket();
    await once(socket.connect((server.address() as AddressInfo).port, '127.0.0.1'), 'connect');
  });
  afterEach(async () => {
    socket.destroy();
    server.close();
    await once(server, 'close');
  });

  function writeStatement(messages: readonly string[]): void {
    socket.cork();
    for (const message of messages) socket.write(message);
    socket.uncork();
  }

  it('sends the statements of a turn at its end, in order', async () => {
    writeStatement(['bind 1 ', 'execute 1 ']);
    writeStatement(['bind 2 ', 'execute 2 ']);
    expect(socket.writableLength).toBe('bind 1 execute 1 bind 2 execute 2 '.length);
    await new Promise(setImmediate);
    expect(socket.writableLength).toBe(0);
    writeStatement(['bind 3']);
    await new Promise(setImmediate);
    socket.end();
    expect(await received).toBe('bind 1 execute 1 bind 2 execute 2 bind 3');
  });

  it('sends what was written in the turn in which it ends', async () => {
    writeStatement(['bind ', 'execute']);
    socket.end();
    expect(await received).toBe('bind execute');
  });
});
