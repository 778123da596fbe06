import { type ProverClient } from '@fresnel/adapters/prover-client';
import { LOG_SERIALIZERS } from '@fresnel/platform';
import { startTestGateway, type TestGateway, UNEXPECTED_PROVER } from '@fresnel/testing/gateway';
import { postJson, RawConnection, sendHttp } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';
import pino from 'pino';

const ADDRESS = '12nCKqGG85jHxbTeA8i2Z7D4vnNUUrQ4r5e8dv2o16X';
const proofs = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'getMultipleNewAddressProofs', params: [ADDRESS] });

const sentIds: (string | undefined)[] = [];
const brokenProver: ProverClient = {
  ...UNEXPECTED_PROVER,
  proveNewAddresses: (_tree, _addresses, _minSlot, options) => {
    sentIds.push(options?.requestId);
    return Promise.reject(new Error('secret-host.internal has no column "secret"'));
  },
};

interface Line {
  level: number;
  msg: string;
  requestId?: string;
  method?: string;
  outcome?: string;
  error?: { message: string };
}

describe('the log', () => {
  const lines: Line[] = [];
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7);
    const logger = pino(
      { level: 'debug', serializers: LOG_SERIALIZERS },
      { write: (line: string) => lines.push(JSON.parse(line) as Line) },
    );
    gateway = await startTestGateway({ databaseUrl: database.url, prover: brokenProver, logger });
  });
  beforeEach(() => (lines.length = 0));
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const errors = () => lines.filter(({ level }) => level >= pino.levels.values.error);

  it('has the cause of a failed call with the request id; the caller gets the id only', async () => {
    const { status, headers, text } = await sendHttp(gateway.url, { body: JSON.stringify(proofs(1)) });
    expect([status, text]).toEqual([
      500,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}',
    ]);
    expect(JSON.stringify(headers)).not.toContain('secret');
    expect(errors()).toMatchObject([
      {
        msg: 'call failed',
        requestId: headers['x-request-id'],
        method: 'getMultipleNewAddressProofs',
        error: { message: expect.stringContaining('secret-host') as string },
      },
    ]);
    expect(sentIds.at(-1)).toBe(headers['x-request-id']);
  });

  it('has a line for every call at debug level', async () => {
    await postJson(gateway.url, [{ jsonrpc: '2.0', id: 1, method: 'noSuchMethod' }, proofs(2), 'garbage']);
    const answered = lines.filter(({ msg }) => msg === 'call answered');
    expect(answered.map(({ method, outcome }) => [method, outcome]).sort()).toEqual([
      ['getMultipleNewAddressProofs', '-32603'],
      ['invalid', '-32600'],
      ['unknown', '-32601'],
    ]);
    expect(new Set(answered.map(({ requestId }) => requestId)).size).toBe(1);
  });

  it('has no error for callers that close the connection or send invalid requests', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":');
    connection.destroy();
    await postJson(gateway.url, 'invalid');
    await sendHttp(gateway.url, { body: 'x'.repeat(2 * 1024 * 1024) }).catch(() => undefined);
    await sendHttp(gateway.url, { method: 'PUT' });
    expect(errors()).toEqual([]);
  });
});
