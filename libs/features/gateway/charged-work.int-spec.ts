import { UnknownTreeError } from '@fresnel/adapters/prover-client';
import { type RateLimit } from '@fresnel/adapters/rate-limit';
import { toBase58 } from '@fresnel/domain/primitives';
import { useTime } from '@fresnel/platform/time';
import {
  COSTLY_CALLS,
  type CostlyCall,
  fillCostlyRows,
  startTestGateway,
  TEST_ADDRESS_TREE,
  type TestGateway,
  UNEXPECTED_PROVER,
} from '@fresnel/testing/gateway';
import { type HttpResponse, ManualTime, sendHttp } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { GATEWAY_CONFIG } from './gateway.config';

const DEFAULT_LIMIT: RateLimit = {
  points: Number(GATEWAY_CONFIG.RATE_LIMIT_POINTS.default),
  windowSeconds: Number(GATEWAY_CONFIG.RATE_LIMIT_WINDOW_SECONDS.default),
};
/** An owner, mint and delegate of nothing. */
const NOBODY = toBase58(Buffer.alloc(32, 0xee));
const QUEUE_CALL = {
  method: 'getQueueElements',
  params: { tree: toBase58(TEST_ADDRESS_TREE), addressQueue: { limit: 30_000 } },
};

describe('the points of a call', () => {
  let database: TestDatabase;
  let gateway: TestGateway | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    await fillCostlyRows(database);
  });
  afterEach(() => gateway?.close());
  afterAll(() => database.drop());

  async function start(
    rateLimit: RateLimit,
    options: Parameters<typeof startTestGateway>[0] = {},
  ): Promise<(...calls: CostlyCall[]) => Promise<HttpResponse>> {
    const started = (gateway = await startTestGateway({ databaseUrl: database.url, rateLimit, ...options }));
    return (...calls) => {
      const bodies = calls.map((call) => ({ jsonrpc: '2.0', id: 1, ...call }));
      return sendHttp(started.url, { body: JSON.stringify(bodies.length === 1 ? bodies[0] : bodies) });
    };
  }

  const remainingOf = ({ headers }: HttpResponse) => Number(/;r=(\d+);/.exec(String(headers.ratelimit))?.[1]);

  it('let a client list 60 times in a window with the default limit of a page, if there is little to list', async () => {
    const send = await start({ ...DEFAULT_LIMIT, windowSeconds: 3600 });
    const lists = [
      { method: 'getCompressedAccountsByOwnerV2', params: { owner: NOBODY } },
      {
        method: 'getCompressedAccountsByOwnerV2',
        params: { owner: NOBODY, filters: [{ memcmp: { offset: 0, bytes: '2' } }] },
      },
      { method: 'getCompressedTokenAccountsByOwnerV2', params: { owner: NOBODY, limit: 1000 } },
      { method: 'getCompressedTokenAccountsByDelegateV2', params: { delegate: NOBODY, limit: 1000 } },
      { method: 'getCompressionSignaturesForTokenOwner', params: { owner: NOBODY } },
      { method: 'getCompressedMintTokenHolders', params: { mint: NOBODY, limit: null } },
    ];
    for (let round = 0; round < 10; round++) {
      for (const list of lists) expect((await send(list)).status).toBe(200);
    }
    const { status, headers } = await send({ method: 'getIndexerSlot', params: [] });
    expect([status, remainingOf({ headers } as HttpResponse)]).toEqual([200, DEFAULT_LIMIT.points - 121]);
  });

  it.each<[keyof typeof COSTLY_CALLS, number]>([
    ['a page of 1,000 holders', 51],
    ['a page of 1,000 signatures', 51],
    ['a page of 1,000 signatures of a token owner', 51],
    ['a page of 1,000 accounts', 51],
    ['1,000 accounts by hash', 51],
    ['a transaction', 5],
    ['an account', 1],
  ])('are what it has read: %s', async (name, points) => {
    const send = await start({ points: 1_000, windowSeconds: 3600 });
    for (const count of [1, 2]) expect(remainingOf(await send(COSTLY_CALLS[name]))).toBe(1_000 - count * points);
  });

  it('may be more than are left, and then the next calls are refused until they are granted again', async () => {
    const time = new ManualTime();
    const restoreTime = useTime(time);
    try {
      const send = await start({ points: 20, windowSeconds: 1 });
      const list = COSTLY_CALLS['a page of 1,000 signatures'];
      const first = await send(list);
      expect([first.status, remainingOf(first)]).toEqual([200, 0]);
      const refused = await send(list);
      // 51 points are the points of 2.55 s.
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3']);
      time.advance(2_549);
      expect((await send(list)).status).toBe(429);
      time.advance(1);
      expect((await send(list)).status).toBe(200);
    } finally {
      restoreTime();
    }
  });

  it('are taken for a batch as for its calls alone', async () => {
    const send = await start({ points: 60, windowSeconds: 3600 });
    const lists = Array<CostlyCall>(20).fill({ method: 'getCompressionSignaturesForOwner', params: { owner: NOBODY } });
    expect(remainingOf(await send(...lists))).toBe(20);
    const refused = await send(...lists);
    expect([refused.status, remainingOf(refused)]).toEqual([429, 20]);
    const read = await send(COSTLY_CALLS['an account'], COSTLY_CALLS['a page of 1,000 accounts']);
    expect([read.status, remainingOf(read)]).toEqual([200, 0]);
    expect((await send(COSTLY_CALLS['an account'])).status).toBe(429);
  });

  it('are all that the params allow if the call runs out of time', async () => {
    const prover = { ...UNEXPECTED_PROVER, findQueueElements: () => new Promise<never>(() => undefined) };
    const send = await start({ points: 1_000, windowSeconds: 3600 }, { prover, GATEWAY_REQUEST_TIMEOUT_MS: 100 });
    const response = await send(QUEUE_CALL);
    expect([response.status, remainingOf(response)]).toEqual([500, 1_000 - 601]);
  });

  it('are few if the call fails before it reads', async () => {
    const prover = {
      ...UNEXPECTED_PROVER,
      findQueueElements: () => Promise.reject(new UnknownTreeError(TEST_ADDRESS_TREE)),
    };
    const send = await start({ points: 1_000, windowSeconds: 3600 }, { prover });
    expect(remainingOf(await send(QUEUE_CALL))).toBe(998);
    expect(remainingOf(await send({ method: QUEUE_CALL.method, params: {} }))).toBe(997);
  });
});
