import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { ProjectionStore, type SlotUpdate } from '@fresnel/adapters/store-write';
import { type Hash, type Pubkey, type Signature, toBase58, toSlot } from '@fresnel/domain/primitives';
import { FilledDatabase, GatewayProcess, percentile } from '@fresnel/testing/gateway';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createdAccount, slotUpdate } from '@fresnel/testing/slots';
import {
  createTestDatabase,
  filledKey,
  fillSignatures,
  fillTransactions,
  insertTree,
  setIndexedSlot,
} from '@fresnel/testing/store';
import WebSocket from 'ws';

const OWNERS = 990;
const TO_ALL = 10;
const TRANSACTIONS_PER_SLOT = 40;
const SLOT_MS = 400;
const SECONDS = 30;
const WARM_UP_SLOTS = 10;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Slot `number` with a transaction for each of some owners, who take turns. */
function slotOf(number: number): SlotUpdate {
  const created = Array.from({ length: TRANSACTIONS_PER_SLOT }, (_, place) => {
    const name = `${number}/${place}`;
    const { body, ...account } = createdAccount(1, 5n, 1);
    const owner = digest(`owner ${(number * TRANSACTIONS_PER_SLOT + place) % OWNERS}`) as Buffer as Pubkey;
    const signature = Buffer.concat([digest(name), digest('end')]) as Signature;
    return { ...account, hash: digest(name) as Buffer as Hash, body: body && { ...body, owner }, signature };
  });
  const frame = { blockhash: digest(`block ${number}`) as Buffer as Hash };
  const parent = { parentSlot: toSlot(number - 1), parentBlockhash: digest(`block ${number - 1}`) as Buffer as Hash };
  return slotUpdate(number, { created }, number === 10 ? frame : { ...frame, ...parent });
}

interface Message {
  type: string;
  slot: number;
}

async function subscribe(url: string, filter: unknown, options: object, onMessage: (message: Message) => void) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  socket.on('message', (data: Buffer) => {
    const { params } = JSON.parse(data.toString()) as { params?: { result: Message } };
    if (params) onMessage(params.result);
  });
  await once(socket, 'open');
  const answered = once(socket, 'message');
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'compressionSubscribe', params: [filter, options] }));
  await answered;
  return socket;
}

const live: Bench = {
  title: `New transactions to ${(OWNERS + TO_ALL).toLocaleString('en')} subscribers of one gateway`,
  data: `${OWNERS} follow one owner each, ${TO_ALL} all; ${TRANSACTIONS_PER_SLOT} transactions every ${SLOT_MS} ms; generator, subscribers, gateway and Postgres on the same machine`,
  unit: 'notifications',
  prepare: async () => {
    const stop = await provideSharedServers();
    const database = await createTestDatabase();
    const store = new ProjectionStore(database.dataSource);
    const persist = (slot: number) => store.persistSlots({ slots: [slotOf(slot)], chainTip: null, position: null });
    await persist(10);
    const gateway = await GatewayProcess.start(database.url);
    const run = async (): Promise<BenchMeasurement> => {
      const committedAt = new Map<number, number>();
      const received: { slot: number; at: number }[] = [];
      const take = ({ type, slot }: Message) => {
        if (type === 'transaction') received.push({ slot, at: performance.now() });
      };
      const filters = [
        ...Array.from({ length: OWNERS }, (_, owner) => ({ owners: [toBase58(digest(`owner ${owner}`))] })),
        ...Array<'all'>(TO_ALL).fill('all'),
      ];
      const sockets: WebSocket[] = [];
      for (const filter of filters) sockets.push(await subscribe(gateway.url, filter, {}, take));
      const slots = WARM_UP_SLOTS + (SECONDS * 1000) / SLOT_MS;
      const startedAt = performance.now();
      for (let count = 1; count <= slots; count++) {
        await persist(10 + count);
        committedAt.set(10 + count, performance.now());
        await sleepUntil(startedAt + count * SLOT_MS);
      }
      const memory = await gateway.readMemory();
      for (const socket of sockets) socket.terminate();
      const measured = received.filter(({ slot }) => slot > 10 + WARM_UP_SLOTS);
      const latencies = measured.map(({ slot, at }) => at - (committedAt.get(slot) ?? at));
      const [median, p99] = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(1));
      const expected = SECONDS * (1000 / SLOT_MS) * TRANSACTIONS_PER_SLOT * (TO_ALL + 1);
      const details = `${measured.length} of ${expected} received; from commit to receipt median ${median} ms, p99 ${p99} ms; gateway ${Math.round(memory / 1e6)} MB`;
      return { count: measured.length, seconds: SECONDS, details };
    };
    return {
      ways: [{ name: 'live', run, isOnce: true }],
      close: async () => {
        await gateway.stop();
        await database.drop();
        await stop();
      },
    };
  },
};

async function sleepUntil(at: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
}

const STORED = 1_000_000;
const STORED_OWNERS = 1_000;
const TREE = Buffer.alloc(32, 1);

/** Transaction i creates account i + 1, of owner i, and spends account i. */
const INSERT_ACCOUNTS = `
  INSERT INTO accounts (hash, created_by, tree_id, leaf_index, owner, lamports)
  SELECT sha256(int4send(i + 1)), i::bigint << 16, 1, i, sha256(int4send(i % ${STORED_OWNERS})), 1
  FROM generate_series(0, ${STORED}) i`;
const INSERT_SPENDS = `
  INSERT INTO spends (hash, spent_by) SELECT sha256(int4send(i)), i::bigint << 16 FROM generate_series(1, ${STORED}) i`;

const FILLED = new FilledDatabase(async (database) => {
  await insertTree(database, { tree: TREE, queue: TREE, treeType: 3 });
  await database.query(INSERT_ACCOUNTS);
  await database.query(INSERT_SPENDS);
  await fillTransactions(database, STORED);
  await fillSignatures(database, 'owner_signatures', STORED, STORED_OWNERS);
  await setIndexedSlot(database, STORED);
  await database.query(`UPDATE indexer_state SET first_slot = 1`);
});

const old: Bench = {
  title: `Old transactions, resumed over ${STORED.toLocaleString('en')}`,
  data: `each closes and opens an account; ${STORED_OWNERS.toLocaleString('en')} owners; no rate limit; subscriber, gateway and Postgres on the same machine`,
  unit: 'transactions',
  prepare: async () => {
    const database = await FILLED.open();
    const gateway = await GatewayProcess.start(database.url);
    const resume = async (filter: unknown, count: number): Promise<BenchMeasurement> => {
      const startedAt = performance.now();
      let received = 0;
      let firstMs = 0;
      let finish: () => void = () => undefined;
      const done = new Promise<void>((resolve) => (finish = resolve));
      const socket = await subscribe(gateway.url, filter, { from: { slot: 1 } }, ({ type }) => {
        if (type !== 'transaction') return;
        if (received++ === 0) firstMs = performance.now() - startedAt;
        if (received === count) finish();
      });
      await done;
      socket.terminate();
      const memory = await gateway.readMemory();
      const details = `first after ${firstMs.toFixed(0)} ms; gateway ${Math.round(memory / 1e6)} MB`;
      return { count: received, seconds: (performance.now() - startedAt) / 1000, details };
    };
    return {
      ways: [
        { name: 'all', run: () => resume('all', STORED), isOnce: true },
        {
          name: 'one owner',
          run: () => resume({ owners: [toBase58(filledKey(0))] }, STORED / STORED_OWNERS),
          isOnce: true,
        },
      ],
      close: async () => {
        await gateway.stop();
        await FILLED.close();
      },
    };
  },
};

export const benches = [live, old];
