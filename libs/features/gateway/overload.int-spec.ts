import { blockhashAt } from '@fresnel/testing/chain';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NODE_BYTES, type ProverClient, type QueueElements, UnknownTreeError } from '@fresnel/adapters/prover-client';
import { toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import {
  COSTLY_CALLS,
  startTestGateway,
  TEST_ADDRESS_TREE,
  type TestGateway,
  UNEXPECTED_PROVER,
} from '@fresnel/testing/gateway';
import { type HttpResponse, sendHttp, until } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

const RATE_LIMIT = { points: 1_000_000, windowSeconds: 3600 };
const PROOFS = JSON.stringify({ jsonrpc: '2.0', id: 1, ...COSTLY_CALLS['1,000 proofs'] });
/** Its response has the same id. */
const LARGE = JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(12_000_000), method: 'getIndexerSlot' });
const QUEUE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'getQueueElements' },
  params: { tree: toBase58(TEST_ADDRESS_TREE), outputQueue: { limit: 1, zkpBatchSize: 1 } },
});
/** 150,000 nodes: 12 MB of JSON. */
const MANY_ELEMENTS: QueueElements = {
  ...{
    slot: 7,
    blockhash: blockhashAt(7),
    root: ZERO_HASH,
    rootSeq: 1n,
    nextIndex: 1n,
    inputs: [],
    addresses: [],
    frontier: [],
  },
  outputs: [{ leafIndex: 0, accountHash: ZERO_HASH, leaf: ZERO_HASH }],
  chains: { outputs: [], inputs: [], addresses: [] },
  nodes: [Buffer.alloc(150_000 * NODE_BYTES, 1)],
};
const SLOT = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getIndexerSlot' });

function send(gateway: TestGateway, body: string, client = '203.0.113.1'): Promise<HttpResponse> {
  return sendHttp(gateway.url, { body, headers: { 'content-type': 'application/json', 'x-forwarded-for': client } });
}

/** Sends a request and does not read the response. */
async function sendAndStopReading(gateway: TestGateway, body: string, client = '203.0.113.1'): Promise<Socket> {
  const socket = connect(gateway.port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  await new Promise((connected) => socket.once('connect', connected));
  socket.write(requestOf(body, client));
  return socket;
}

function requestOf(body: string, client = '203.0.113.1'): string {
  const headers = `Host: x\r\nContent-Type: application/json\r\nX-Forwarded-For: ${client}`;
  return `POST / HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

async function metricOf({ registry }: TestGateway, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await registry.metrics())?.[1]);
}

function expectOverloaded({ status, headers, text }: HttpResponse): void {
  expect([status, JSON.parse(text)]).toEqual([
    503,
    { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'Overloaded' } },
  ]);
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
}

describe('an overloaded gateway', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7, { blockhash: blockhashAt(7) });
  });
  afterEach(() => gateway.close());
  afterAll(() => database.drop());

  async function start(options: Parameters<typeof startTestGateway>[0]): Promise<void> {
    const common = {
      databaseUrl: database.url,
      GATEWAY_MAX_BODY_BYTES: 2 ** 24,
      rateLimit: RATE_LIMIT,
      GATEWAY_TRUSTED_PROXIES: 1,
    };
    gateway = await startTestGateway({ ...common, ...options });
  }

  const unreadBytes = () => metricOf(gateway, 'fresnel_gateway_responses_in_flight_bytes');
  const requestsInFlight = () => metricOf(gateway, 'fresnel_gateway_requests_in_flight');

  it('closes the connection of a client that does not read its response in time', async () => {
    await start({ GATEWAY_SEND_TIMEOUT_MS: 500 });
    const socket = await sendAndStopReading(gateway, LARGE);
    await until(async () => (await unreadBytes()) > 10_000_000);
    expect((await send(gateway, SLOT)).status).toBe(200);
    await until(async () => (await unreadBytes()) === 0);
    expect(await requestsInFlight()).toBe(0);
    socket.destroy();
  });

  it('counts the bytes of a response that is sent in parts', async () => {
    const prover = { ...UNEXPECTED_PROVER, findQueueElements: () => Promise.resolve(MANY_ELEMENTS) };
    await start({ prover, GATEWAY_REQUEST_TIMEOUT_MS: 50_000 });
    const socket = await sendAndStopReading(gateway, QUEUE);
    await until(async () => (await unreadBytes()) > 10_000_000);
    socket.destroy();
    await until(async () => (await unreadBytes()) === 0);
  });

  it('gives a client that does not read its responses a quarter of the budget, and others the rest', async () => {
    await start({ GATEWAY_MAX_RESPONSE_BYTES_IN_FLIGHT: 20_000_000 });
    const socket = await sendAndStopReading(gateway, LARGE);
    await until(async () => (await unreadBytes()) > 10_000_000);
    expectOverloaded(await send(gateway, SLOT));
    expect((await send(gateway, SLOT, '203.0.113.2')).status).toBe(200);
    const other = await sendAndStopReading(gateway, LARGE, '203.0.113.2');
    await until(async () => (await unreadBytes()) > 20_000_000);
    expectOverloaded(await send(gateway, SLOT, '203.0.113.3'));
    socket.destroy();
    other.destroy();
    await until(async () => (await unreadBytes()) === 0);
    expect((await send(gateway, SLOT)).status).toBe(200);
  });

  it.each([
    ['one request', 1],
    ['requests that wait behind it', 3],
  ])('forgets %s of a client that went before the answer', async (_, count) => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const findQueueElements = () => answered.then(() => MANY_ELEMENTS);
    await start({ prover: { ...UNEXPECTED_PROVER, findQueueElements }, GATEWAY_REQUEST_TIMEOUT_MS: 50_000 });
    const socket = await sendAndStopReading(gateway, QUEUE);
    for (let sent = 1; sent < count; sent++) socket.write(requestOf(QUEUE));
    await until(async () => (await requestsInFlight()) === count);
    socket.destroy();
    await until(async () => (await requestsInFlight()) === 0);
    answer();
    // Answered after those that nobody waits for.
    expect((await send(gateway, QUEUE)).status).toBe(200);
    await until(async () => (await unreadBytes()) === 0);
  });

  it('rejects requests beyond the maximum in flight, and answers them afterwards', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const prover: ProverClient = {
      ...UNEXPECTED_PROVER,
      proveNewAddresses: () => answered.then(() => Promise.reject(new UnknownTreeError(TEST_ADDRESS_TREE))),
    };
    await start({ GATEWAY_MAX_REQUESTS_IN_FLIGHT: 8, prover });
    const waiting = ['203.0.113.1', '203.0.113.1'].map((client) => send(gateway, PROOFS, client));
    await until(async () => (await requestsInFlight()) === 2);
    expectOverloaded(await send(gateway, SLOT));
    expect((await send(gateway, SLOT, '203.0.113.2')).status).toBe(200);
    answer();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await send(gateway, SLOT)).status).toBe(200);
  });

  it('rejects requests while the event loop is delayed', async () => {
    await start({ GATEWAY_MAX_EVENT_LOOP_DELAY_MS: 50 });
    let isBlocking = true;
    const blocking = (async () => {
      while (isBlocking) {
        const endsAt = performance.now() + 200;
        while (performance.now() < endsAt);
        await nextTurn();
      }
    })();
    let response = await send(gateway, SLOT);
    while (response.status === 200) response = await send(gateway, SLOT);
    expectOverloaded(response);
    isBlocking = false;
    await blocking;
    await until(async () => (await send(gateway, SLOT)).status === 200);
  });
});
