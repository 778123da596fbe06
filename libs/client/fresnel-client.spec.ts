import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import WebSocket, { WebSocketServer } from 'ws';
import { FresnelClient, type Message, type Rollback, type SlotReached, type TransactionSummary } from '.';

const transaction = (slot: number, index: number): TransactionSummary => ({
  type: 'transaction',
  slot,
  index,
  signature: `${slot}/${index}`,
  blockTime: 1,
});
const amended = (slot: number, index: number): TransactionSummary => ({ ...transaction(slot, index), type: 'amended' });
const slot = (number: number): SlotReached => ({
  type: 'slot',
  slot: number,
  blockhash: null,
  cursor: `cursor ${number}`,
});
const rollback = (number: number): Rollback => ({ type: 'rollback', slot: number, blockhash: null });

/** What a server does on one connection: sends messages, and then closes it with a code, cuts it or keeps it open. */
interface Script {
  error?: { code: number; message: string };
  messages?: Message<TransactionSummary>[];
  end?: 'cut' | number;
}

describe('FresnelClient', () => {
  let server: WebSocketServer;
  let url: string;
  /** The options of each subscription. */
  let subscribed: unknown[];
  let scripts: Script[];
  beforeEach(async () => {
    subscribed = [];
    scripts = [];
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => {
        subscribed.push((JSON.parse(data.toString()) as { params: unknown }).params);
        const { error, messages = [], end } = scripts.shift() ?? {};
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(error ? { error } : { result: 7 }) }));
        for (const result of messages) {
          const params = { subscription: 7, result };
          socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'compressionNotification', params }));
        }
        if (end === 'cut') {
          // Terminated when all is sent.
          socket.ping(undefined, undefined, () => {
            socket.terminate();
          });
        } else if (end !== undefined) socket.close(end);
      });
    });
  });
  afterEach(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });

  const client = () => new FresnelClient(url, { WebSocket });

  async function take(count: number, from?: string | { slot: number }): Promise<Message<TransactionSummary>[]> {
    const taken: Message<TransactionSummary>[] = [];
    for await (const message of client().messages('all', { details: 'signatures', from })) {
      taken.push(message);
      if (taken.length === count) break;
    }
    return taken;
  }

  const optionsOf = () => subscribed.map((params) => (params as [unknown, unknown])[1]);

  it('delivers what the server sends, in order', async () => {
    const messages = [transaction(1, 0), transaction(1, 4), slot(1), amended(0, 3), rollback(0), slot(2)];
    scripts = [{ messages }];
    expect(await take(messages.length)).toEqual(messages);
    expect(subscribed).toEqual([['all', { details: 'signatures' }]]);
  });

  it.each(['cut', 1012, 4001] as const)(
    'continues from the last cursor after %p, and applies what is repeated once',
    async (end) => {
      scripts = [
        { messages: [transaction(1, 0), slot(1), transaction(2, 0), amended(1, 1), transaction(2, 1)], end },
        { messages: [amended(1, 1), transaction(2, 0), transaction(2, 1), transaction(2, 2), slot(2)] },
      ];
      expect(await take(7)).toEqual([
        transaction(1, 0),
        slot(1),
        transaction(2, 0),
        amended(1, 1),
        transaction(2, 1),
        transaction(2, 2),
        slot(2),
      ]);
      expect(optionsOf()).toEqual([{ details: 'signatures' }, { details: 'signatures', from: 'cursor 1' }]);
    },
  );

  it('delivers an amended transaction that replaces one it has, once', async () => {
    scripts = [
      { messages: [slot(1), transaction(2, 0), amended(2, 0), amended(2, 0)], end: 'cut' },
      { messages: [amended(2, 0), transaction(2, 0), slot(2)] },
    ];
    expect(await take(4)).toEqual([slot(1), transaction(2, 0), amended(2, 0), slot(2)]);
  });

  it('takes the transactions of another branch at the places of orphaned ones', async () => {
    const other = { ...transaction(2, 0), signature: 'other' };
    scripts = [
      { messages: [slot(1), transaction(2, 0), rollback(1), other], end: 'cut' },
      { messages: [rollback(1), other, slot(2)] },
    ];
    expect(await take(7)).toEqual([slot(1), transaction(2, 0), rollback(1), other, rollback(1), other, slot(2)]);
  });

  it('begins again if it was cut before the first cursor', async () => {
    scripts = [
      { messages: [transaction(5, 1), transaction(6, 0)], end: 'cut' },
      { messages: [transaction(5, 1), slot(5)] },
    ];
    expect(await take(5)).toEqual([transaction(5, 1), transaction(6, 0), rollback(4), transaction(5, 1), slot(5)]);
    expect(optionsOf()).toEqual([{ details: 'signatures' }, { details: 'signatures', from: { slot: 5 } }]);
  });

  it('continues from the cursor of an earlier subscription, also when the server is behind it', async () => {
    scripts = [{ error: { code: -32000, message: 'ahead of the index' } }, { messages: [slot(4)] }];
    expect(await take(1, 'cursor 3')).toEqual([slot(4)]);
    const options = { details: 'signatures', from: 'cursor 3' };
    expect(optionsOf()).toEqual([options, options]);
  });

  it.each([
    [{ slot: 1 }, -32000],
    [undefined, -32601],
    ['no cursor', -32602],
  ])('from %p fails with the error %d of the server', async (from, code) => {
    scripts = [{ error: { code, message: 'refused' } }];
    await expect(take(1, from)).rejects.toMatchObject({ name: 'SubscriptionError', code, message: 'refused' });
  });

  it('tries again after an error that may pass, and when nobody listens', async () => {
    scripts = [{ error: { code: -32603, message: 'Internal error' } }, { messages: [slot(1)] }];
    expect(await take(1)).toEqual([slot(1)]);
    const messages = client().messages('all');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const first = messages.next();
    server = new WebSocketServer({ port, host: '127.0.0.1' });
    server.on('connection', (socket) => {
      socket.on('message', () => {
        socket.send(JSON.stringify({ params: { result: slot(9) } }));
      });
    });
    expect(await first).toEqual({ done: false, value: slot(9) });
    await messages.return();
  });

  it('calls one handler at a time, and waits for it', async () => {
    scripts = [{ messages: [transaction(1, 0), transaction(1, 1), slot(1), rollback(0)] }];
    const calls: string[] = [];
    await new Promise<void>((resolve) => {
      const subscription = client().subscribe(
        { owners: ['owner'] },
        {
          onTransaction: async ({ index }) => {
            calls.push(`begin ${index}`);
            await new Promise(setImmediate);
            calls.push(`end ${index}`);
          },
          onSlot: ({ cursor }) => calls.push(cursor),
          onRollback: ({ slot }) => {
            calls.push(`rollback ${slot}`);
            subscription.close();
            void subscription.closed.then(resolve);
          },
        },
      );
    });
    expect(calls).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'cursor 1', 'rollback 0']);
    expect(subscribed).toEqual([[{ owners: ['owner'] }, { details: 'full' }]]);
  });

  it('ends with the error of a handler', async () => {
    scripts = [{ messages: [slot(1)] }];
    const { closed } = client().subscribe('all', {
      onTransaction: () => undefined,
      onRollback: () => undefined,
      onSlot: () => {
        throw new Error('disk full');
      },
    });
    await expect(closed).rejects.toThrow('disk full');
  });

  it('catches up with a server that is faster than its receiver', async () => {
    const all = Array.from({ length: 25_000 }, (_, index) => slot(index));
    scripts = [{ messages: all }, { messages: all.slice(20_001) }];
    let last = -1;
    const isRead = new Promise<void>((resolve) => {
      const subscription = client().subscribe('all', {
        onTransaction: () => undefined,
        onRollback: () => undefined,
        onSlot: async (reached) => {
          // As long as the server sends, nothing is read.
          if (reached.slot === 0) await new Promise((wake) => setTimeout(wake, 500));
          last = Math.max(last, reached.slot);
          if (last === 24_999) subscription.close();
        },
      });
      void subscription.closed.then(resolve);
    });
    await isRead;
    expect(last).toBe(24_999);
  });
});
