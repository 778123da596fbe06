import { type ProverClient, UnknownTreeError } from '@fresnel/adapters/prover-client';
import { METHOD_CONTRACTS } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { startTestGateway, type TestGateway, UNEXPECTED_PROVER } from '@fresnel/testing/gateway';
import { anyCharacter, byFaultForm, sendHttp } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';
import fc from 'fast-check';

/** The codes of errors that a caller can cause. Undefined: a result. */
const CALLER_CODES = [-32700, -32600, -32601, -32602, -32000, undefined];
const MEMBERS = [
  'hash',
  'address',
  'signature',
  'owner',
  'mint',
  'cursor',
  'limit',
  'tree',
  '__proto__',
  'constructor',
];

const key = fc.uint8Array({ minLength: 30, maxLength: 66 }).map((bytes) => toBase58(Buffer.from(bytes)));
const exactKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toBase58(Buffer.from(bytes)));
const scalar = fc.oneof(
  exactKey,
  key,
  fc.string({ unit: anyCharacter }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constant(null),
);
const params = fc.oneof(
  fc.dictionary(fc.constantFrom(...MEMBERS), fc.oneof(exactKey, scalar, fc.array(scalar), fc.jsonValue())),
  fc.array(fc.oneof(exactKey, scalar, fc.dictionary(fc.constantFrom('address', 'tree'), exactKey))),
  fc.jsonValue(),
);
const call = fc.record({
  jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', 2),
  id: fc.oneof(scalar, fc.array(scalar)),
  method: fc.oneof(fc.constantFrom(...METHOD_CONTRACTS.map(({ name }) => name)), fc.string()),
  params,
});

/** How many params each method gets; calls of all kinds are three times as many. */
const RUNS = byFaultForm({ short: 20, long: 200 });

describe('hostile callers', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7);
    const prover: ProverClient = {
      ...UNEXPECTED_PROVER,
      proveNewAddresses: (tree) => Promise.reject(new UnknownTreeError(tree)),
    };
    gateway = await startTestGateway({ databaseUrl: database.url, prover });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  async function send(body: string | Buffer, path = '/'): Promise<unknown> {
    const { status, text } = await sendHttp(`${gateway.url}${path}`, { body });
    expect([200, 400, 404]).toContain(status);
    return JSON.parse(text);
  }

  /** Expects a result, or an error that the caller caused. */
  function expectResponse(response: unknown): void {
    const { error, ...rest } = response as {
      jsonrpc: string;
      result?: unknown;
      error?: { code: number; message: string };
    };
    expect(rest.jsonrpc).toBe('2.0');
    expect('result' in rest).toBe(error === undefined);
    expect(CALLER_CODES).toContain(error?.code);
  }

  it('get a result or a client error for any params', async () => {
    for (const { name } of METHOD_CONTRACTS) {
      await fc.assert(
        fc.asyncProperty(params, async (value) => {
          const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: value });
          expectResponse(await send(request));
          expectResponse(await send(request, `/${name}`));
        }),
        { numRuns: RUNS },
      );
    }
  });

  it('get results or client errors for any calls and batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(call, fc.jsonValue()), { maxLength: 20 }), async (batch) => {
        const response = await send(JSON.stringify(batch));
        if (Array.isArray(response)) response.forEach(expectResponse);
        else expectResponse(response);
      }),
      { numRuns: 3 * RUNS },
    );
  });

  it('get client errors for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expectResponse(await send(Buffer.from(bytes)));
      }),
      { numRuns: 3 * RUNS },
    );
  });
});
