import { PushConnection, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { until } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  fillAccounts,
  fillTransactions,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import WebSocket from 'ws';

const TREE = Buffer.alloc(32, 1);
const STORED = 600;
const OLD = 400;
const SUBSCRIPTIONS = 20;

describe('beside hostile clients', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  let indexed = OLD;
  const connections: PushConnection[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    await insertTree(database.dataSource, { tree: TREE, queue: TREE, treeType: 3 });
    await fillAccounts(database.dataSource, TREE, STORED + 1);
    await fillTransactions(database.dataSource, STORED);
    await setIndexedSlot(database.dataSource, OLD);
    await database.dataSource.query(`UPDATE indexer_state SET first_slot = 1`);
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.end();
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const grow = async (slots = 5) => setIndexedSlot(database.dataSource, (indexed += slots));
  async function connect(): Promise<PushConnection> {
    const connection = await PushConnection.open(gateway.url);
    connections.push(connection);
    return connection;
  }

  /** A subscriber that must be sent each new slot while another client does harm. */
  async function beside(harm: () => Promise<unknown>): Promise<void> {
    const honest = await connect();
    await honest.subscribe('all', { from: { slot: indexed } });
    await honest.waitForSlot(indexed);
    await harm();
    const from = honest.story.length;
    await grow();
    await honest.waitForSlot(indexed);
    expect(honest.story.slice(from)).toHaveLength(5);
    expect(honest.closed).toBeNull();
  }

  it.each<[string, string | Buffer, number]>([
    ['a frame of 10 MB', 'x'.repeat(10 * 1024 * 1024), 1009],
    ['a binary frame', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"compressionSubscribe","params":["all"]}'), 1008],
    ['a list of calls', '[]', 1008],
    ['half a frame of JSON', '{"jsonrpc":', 1008],
  ])('subscribers are served: %s', async (_, frame, code) => {
    await beside(async () => {
      const hostile = await connect();
      hostile.socket.send(frame);
      await until(() => hostile.closed !== null);
      expect(hostile.closed?.code).toBe(code);
    });
  });

  it('subscribers are served: thousands of calls without waiting', async () => {
    await beside(async () => {
      const hostile = await connect();
      const call = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'compressionSubscribe',
        params: ['all', { from: { slot: 1 } }],
      });
      for (let count = 0; count < 2_000; count++) hostile.socket.send(call);
      await until(() => hostile.closed !== null);
      expect(hostile.closed?.code).toBe(4029);
    });
  });

  it('subscribers are served: connections that end at once', async () => {
    await beside(async () => {
      for (let count = 0; count < 20; count++) {
        const hostile = new WebSocket(gateway.url.replace('http', 'ws'));
        hostile.on('error', () => undefined);
        hostile.on('open', () => {
          hostile.send(
            JSON.stringify({
              jsonrpc: '2.0',
              id: 1,
              method: 'compressionSubscribe',
              params: ['all', { from: { slot: 1 } }],
            }),
          );
          hostile.terminate();
        });
        await new Promise((resolve) => hostile.once('close', resolve));
      }
    });
  });

  it('a client that does not read gets everything, once, when it reads again', async () => {
    let slow = await connect();
    for (let count = 0; count < SUBSCRIPTIONS; count++) await slow.subscribe('all', { from: { slot: 1 } });
    slow.socket.pause();
    await beside(() => Promise.resolve());
    slow.socket.resume();
    await until(() => slow.closed !== null || slow.story.length >= SUBSCRIPTIONS * indexed);
    if (slow.closed) {
      // On a slow machine it was silent for too long.
      expect(slow.closed.code).toBe(4001);
      slow = await connect();
      for (let count = 0; count < SUBSCRIPTIONS; count++) await slow.subscribe('all', { from: { slot: 1 } });
      await until(() => slow.story.length >= SUBSCRIPTIONS * indexed);
    }
    const ofFirst = slow.messages.filter(({ type }) => type === 'transaction').map(({ slot }) => slot);
    const counts = new Map<number, number>();
    for (const slot of ofFirst) counts.set(slot, (counts.get(slot) ?? 0) + 1);
    expect([...counts.values()].every((count) => count === SUBSCRIPTIONS)).toBe(true);
    expect(counts.size).toBe(indexed);
  });
});
