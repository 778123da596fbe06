import { type ProverClient } from '@fresnel/adapters/prover-client';
import { startTestGateway, type TestGateway, UNEXPECTED_PROVER } from '@fresnel/testing/gateway';
import { postJson, sendHttp, TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

const TIMEOUT_MS = 4_000;
/** Longer than a busy machine needs to answer. */
const SLACK_MS = 60_000;
const KEY = '38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ';
const SIGNATURE = '64jFxW4xxife8UqpEQyYdA589rzFKWx8rT4vun6soCpWXmDermr588UKX2261YYZ8ZSzcu2NUJY2aCfee64FvTW4';
const ADDRESS = '12nCKqGG85jHxbTeA8i2Z7D4vnNUUrQ4r5e8dv2o16X';

const call = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 'test-account', method, params });
const READS = [
  call('getCompressedAccount', { hash: KEY }),
  call('getTransactionWithCompressionInfo', { signature: SIGNATURE }),
  call('getCompressionSignaturesForOwner', { owner: KEY }),
  call('getCompressionSignaturesForTokenOwner', { owner: KEY }),
  call('getCompressedMintTokenHolders', { mint: KEY }),
  call('getIndexerSlot', []),
  call('getIndexerHealth', []),
];
const INTERNAL = '{"jsonrpc":"2.0","id":"test-account","error":{"code":-32603,"message":"Internal error"}}';

/** Never answers. */
const silentProver: ProverClient = { ...UNEXPECTED_PROVER, proveNewAddresses: () => new Promise(() => undefined) };

describe('a gateway', () => {
  let database: TestDatabase;
  let link: TcpLink;
  let gateway: TestGateway;

  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7);
    link = await TcpLink.to(database.url);
    gateway = await startTestGateway({
      databaseUrl: link.url,
      prover: silentProver,
      GATEWAY_REQUEST_TIMEOUT_MS: TIMEOUT_MS,
    });
  });
  afterAll(async () => {
    await gateway.close();
    await link.cut();
    await database.drop();
  });

  async function sendAll(): Promise<{ status: number; text: string; durationMs: number }[]> {
    return Promise.all(
      READS.map(async (body) => {
        const startedAt = performance.now();
        const { status, text } = await sendHttp(gateway.url, { body: JSON.stringify(body) });
        return { status, text, durationMs: performance.now() - startedAt };
      }),
    );
  }

  it('reconnects without errors when its connections are closed', async () => {
    expect((await sendAll()).map(({ status }) => status)).toEqual(READS.map(() => 200));
    link.drop();
    expect((await sendAll()).map(({ status }) => status)).toEqual(READS.map(() => 200));
  });

  it('fails within the time limit while the database is unavailable, and answers again afterwards', async () => {
    await link.cut();
    for (const { status, text, durationMs } of await sendAll()) {
      expect([status, text]).toEqual([500, INTERNAL]);
      expect(durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    }
    const ready = await sendHttp(`${gateway.adminUrl}/health/ready`, { method: 'GET' });
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      503,
      { status: 'not-ready', reasons: ['The database does not answer'] },
    ]);
    expect((await sendHttp(`${gateway.adminUrl}/health/live`, { method: 'GET' })).status).toBe(200);
    await link.restore();
    expect((await sendAll()).map(({ status }) => status)).toEqual(READS.map(() => 200));
  });

  it('fails within the time limit while tables are locked', async () => {
    const runner = database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('LOCK TABLE indexer_state, transactions IN ACCESS EXCLUSIVE MODE');
    for (const { status, text, durationMs } of await sendAll()) {
      expect([status, text]).toEqual([500, INTERNAL]);
      expect(durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    }
    await runner.rollbackTransaction();
    await runner.release();
    // Cancelled statements occupy their connections until the database has ended them.
    let statuses: number[];
    do statuses = (await sendAll()).map(({ status }) => status);
    while (statuses.includes(500));
    expect(statuses).toEqual(READS.map(() => 200));
  });

  it('fails within the time limit while the prover does not answer, and answers other calls meanwhile', async () => {
    const proofs = { ...call('getMultipleNewAddressProofs', [ADDRESS]), id: 1 };
    expect((await sendHttp(gateway.url, { body: JSON.stringify(proofs) })).status).toBe(500);
    expect(await postJson(gateway.url, [proofs, { ...call('getIndexerSlot', []), id: 2 }])).toEqual({
      status: 200,
      body: [
        { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
        { jsonrpc: '2.0', id: 2, result: 7 },
      ],
    });
  });

  it('answers an error before a slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null, { chainTip: 9 });
    const statuses = await sendAll();
    await setIndexedSlot(database.dataSource, 7);
    const nothingIndexed = { code: -32000, message: 'Nothing is indexed yet' };
    const answers = statuses.map(({ text }) => JSON.parse(text) as { error?: unknown; result?: unknown });
    expect(answers.map(({ error }) => error)).toEqual([
      nothingIndexed,
      undefined,
      nothingIndexed,
      nothingIndexed,
      nothingIndexed,
      nothingIndexed,
      nothingIndexed,
    ]);
    expect(answers[1].result).toBeNull();
  });
});
