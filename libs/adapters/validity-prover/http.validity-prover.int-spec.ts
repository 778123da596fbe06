import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { be32 } from '@fresnel/domain/primitives';
import { useTime } from '@fresnel/platform/time';
import { ManualTime, until } from '@fresnel/testing/generic';
import { HttpValidityProver, type HttpValidityProverOptions } from './http.validity-prover';
import { ProofRejectedError, type ProofInputs, ValidityProverUnavailableError } from './validity-prover';

const PROOF = JSON.stringify({
  ar: ['0x1', '0x2'],
  bs: [
    ['0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2', '0x1'],
    ['0x2', '0x3'],
  ],
  krs: ['0x1', '0x2'],
});
const hex = (value: number) => `0x${be32(value).toString('hex')}`;

const ACCOUNT = { root: be32(1), leaf: be32(2), leafIndex: 3, siblings: [be32(4), be32(5)] };
const ADDRESS = {
  root: be32(11),
  address: be32(12),
  lowElementLeafIndex: 13,
  siblings: [be32(14)],
  lowerRangeAddress: be32(15),
  higherRangeAddress: be32(16),
  nextIndex: 17,
};
const INPUTS: ProofInputs = { version: 1, accounts: [ACCOUNT], addresses: [], publicInputHash: null };

/** A prover that answers requests in turn; null: it closes the connection. */
class FakeProver {
  readonly requests: { url: string | undefined; headers: IncomingHttpHeaders; body: unknown }[] = [];
  answers: ({ status: number; text: string } | null | 'silence')[] = [];
  running = 0;
  mostRunning = 0;
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.mostRunning = Math.max(this.mostRunning, ++this.running);
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      this.requests.push({ url: request.url, headers: request.headers, body });
      const answer = this.answers.length > 0 ? this.answers.shift() : { status: 200, text: PROOF };
      setTimeout(() => {
        this.running--;
        if (answer === null) request.socket.destroy();
        else if (answer && answer !== 'silence') response.writeHead(answer.status).end(answer.text);
      }, 5);
    });
  });

  listen = () => new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('HttpValidityProver', () => {
  let fake: FakeProver;
  const outcomes: string[] = [];
  beforeEach(async () => {
    fake = new FakeProver();
    outcomes.length = 0;
    await fake.listen();
  });
  afterEach(() => {
    fake.close();
  });

  const create = (options: Partial<HttpValidityProverOptions> = {}) =>
    new HttpValidityProver({
      urls: [fake.url],
      apiKey: null,
      circuits: 'full',
      timeoutMs: 20_000,
      concurrency: 4,
      onAttempt: (outcome) => outcomes.push(outcome),
      ...options,
    });

  it('sends inclusions of V1 trees without a public input hash, and compresses the proof', async () => {
    const { a, b, c } = await create().prove(INPUTS);
    expect([a.length, b.length, c.length, a[0]]).toEqual([32, 64, 32, 0x80]);
    expect(fake.requests[0].url).toBe('/prove');
    expect(fake.requests[0].headers.authorization).toBeUndefined();
    expect(fake.requests[0].body).toEqual({
      circuitType: 'inclusion',
      stateTreeHeight: 26,
      inputCompressedAccounts: [{ root: hex(1), pathIndex: 3, pathElements: [hex(4), hex(5)], leaf: hex(2) }],
    });
    expect(outcomes).toEqual(['ok']);
  });

  it('sends accounts and addresses of V2 trees with the hash and the API key', async () => {
    const inputs: ProofInputs = { version: 2, accounts: [ACCOUNT], addresses: [ADDRESS], publicInputHash: be32(99) };
    await create({ urls: [`${fake.url}/base/`], apiKey: 'secret' }).prove(inputs);
    expect(fake.requests[0].url).toBe('/base/prove');
    expect(fake.requests[0].headers.authorization).toBe('Bearer secret');
    expect(fake.requests[0].body).toMatchObject({
      circuitType: 'combined',
      publicInputHash: hex(99),
      stateTreeHeight: 32,
      addressTreeHeight: 40,
      newAddresses: [
        {
          root: hex(11),
          value: hex(12),
          pathIndex: 13,
          pathElements: [hex(14)],
          leafLowerRangeValue: hex(15),
          leafHigherRangeValue: hex(16),
          nextIndex: 17,
        },
      ],
    });
  });

  it('keeps the query of its URL, and sends the login in a header', async () => {
    const url = fake.url.replace('//', '//user:pass@');
    await create({ urls: [`${url}/?api-key=K`] }).prove(INPUTS);
    expect(fake.requests[0].url).toBe('/prove?api-key=K');
    expect(fake.requests[0].headers.authorization).toBe(`Basic ${Buffer.from('user:pass').toString('base64')}`);
  });

  it('names the circuit of addresses alone', async () => {
    await create().prove({ version: 1, accounts: [], addresses: [ADDRESS], publicInputHash: null });
    expect(fake.requests[0].body).toMatchObject({ circuitType: 'non-inclusion', addressTreeHeight: 26 });
    expect(fake.requests[0].body).not.toHaveProperty('inputCompressedAccounts');
  });

  it.each<[string, FakeProver['answers'][number]]>([
    ['is away', null],
    ['has an error', { status: 500, text: '{"code":"unexpected_error"}' }],
    ['takes too long', { status: 408, text: '{"code":"proof_timeout"}' }],
    ['sends no proof', { status: 200, text: '{"ar":["0x1"]}' }],
    ['sends no JSON', { status: 200, text: '<html>' }],
    ['sends more than a proof', { status: 200, text: PROOF + ' '.repeat(64 * 1024) }],
  ])('asks once more if a prover %s', async (_, answer) => {
    fake.answers = [answer];
    await create().prove(INPUTS);
    expect(outcomes).toEqual(['unavailable', 'ok']);
    fake.answers = [answer, answer];
    await expect(create().prove(INPUTS)).rejects.toThrow(ValidityProverUnavailableError);
    expect(fake.requests).toHaveLength(4);
  });

  it('asks another prover if one is away', async () => {
    const prover = create({ urls: ['http://127.0.0.1:1', fake.url] });
    for (let at = 0; at < 3; at++) await prover.prove(INPUTS);
    expect(fake.requests).toHaveLength(3);
  });

  it.each([400, 401])('does not repeat a request that is answered with %d', async (status) => {
    fake.answers = [{ status, text: '{"code":"proving_error","message":"bad witness"}' }];
    await expect(create().prove(INPUTS)).rejects.toThrow(ProofRejectedError);
    expect(outcomes).toEqual(['rejected']);
  });

  it('gives up after the time limit', async () => {
    fake.answers = ['silence', 'silence'];
    await expect(create({ timeoutMs: 100 }).prove(INPUTS)).rejects.toThrow('no validity proof in time');
  });

  it('also counts the time that a proof waits for its turn', async () => {
    const time = new ManualTime();
    const restore = useTime(time);
    try {
      fake.answers = ['silence'];
      const prover = create({ timeoutMs: 150, concurrency: 1 });
      const proofs = Promise.allSettled([prover.prove(INPUTS), prover.prove(INPUTS)]);
      await until(() => fake.requests.length === 1);
      time.advance(150);
      expect((await proofs).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(fake.requests).toHaveLength(1);
    } finally {
      restore();
    }
  });

  it('asks for no more proofs at once than configured', async () => {
    const prover = create({ concurrency: 2 });
    await Promise.all(Array.from({ length: 9 }, () => prover.prove(INPUTS)));
    expect(fake.requests).toHaveLength(9);
    expect(fake.mostRunning).toBe(2);
  });
});
