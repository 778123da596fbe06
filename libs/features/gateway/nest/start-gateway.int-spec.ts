import { type ProverClient, UnknownTreeError } from '@fresnel/adapters/prover-client';
import { startTestGateway, TEST_ADDRESS_TREE, UNEXPECTED_PROVER } from '@fresnel/testing/gateway';
import { RawConnection, sendHttp } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

const ADDRESS = '12nCKqGG85jHxbTeA8i2Z7D4vnNUUrQ4r5e8dv2o16X';
const PROOFS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getMultipleNewAddressProofs', params: [ADDRESS] });
/** Longer than the time limit of a test. */
const HOUR_MS = 3_600_000;
const CALL = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'nothing' });
const post = (body: string) =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** `called` resolves when it is called. It rejects when `answer` is called. */
class ControlledProver implements ProverClient {
  readonly proveLeaves = UNEXPECTED_PROVER.proveLeaves;
  readonly findQueues = UNEXPECTED_PROVER.findQueues;
  readonly findQueueElements = UNEXPECTED_PROVER.findQueueElements;
  private markCalled: () => void = () => undefined;
  readonly called = new Promise<void>((resolve) => (this.markCalled = resolve));
  answer: () => void = () => undefined;

  proveNewAddresses(): ReturnType<ProverClient['proveNewAddresses']> {
    this.markCalled();
    return new Promise((_, reject) => {
      this.answer = () => {
        reject(new UnknownTreeError(TEST_ADDRESS_TREE));
      };
    });
  }
}

describe('closing a gateway', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7);
  });
  afterAll(() => database.drop());

  it('waits for requests in progress and accepts no more connections', async () => {
    const prover = new ControlledProver();
    const gateway = await startTestGateway({ databaseUrl: database.url, prover });
    const connection = await RawConnection.open(gateway.port);
    connection.send(post(PROOFS));
    await prover.called;
    const closed = gateway.close();
    await new Promise(setImmediate);
    await expect(sendHttp(gateway.url, { body: CALL })).rejects.toThrow('ECONNREFUSED');
    prover.answer();
    expect(await connection.waitForEnd()).toMatch(/\r\nconnection: close\r\n[^]*"code":-32000/i);
    await closed;
  });

  it('closes idle connections', async () => {
    const gateway = await startTestGateway({ closeTimeoutMs: HOUR_MS });
    const idle = await RawConnection.open(gateway.port);
    idle.send(post(CALL));
    await idle.receive(/Method not found/);
    await gateway.close();
    await idle.waitForEnd();
  });

  it('closes all connections after the time limit', async () => {
    const prover = new ControlledProver();
    const gateway = await startTestGateway({ databaseUrl: database.url, prover, closeTimeoutMs: 200 });
    const [working, halfSent] = [await RawConnection.open(gateway.port), await RawConnection.open(gateway.port)];
    working.send(post(PROOFS));
    halfSent.send(post(PROOFS).slice(0, -1));
    await prover.called;
    await gateway.close();
    expect(await working.waitForEnd()).toBe('');
    expect(await halfSent.waitForEnd()).toBe('');
    prover.answer();
  });

  it('may be called twice', async () => {
    const gateway = await startTestGateway();
    await Promise.all([gateway.close(), gateway.close()]);
  });
});

it('a port in use is an error', async () => {
  const gateway = await startTestGateway();
  await expect(startTestGateway({ GATEWAY_PORT: gateway.port })).rejects.toThrow('EADDRINUSE');
  await gateway.close();
});
