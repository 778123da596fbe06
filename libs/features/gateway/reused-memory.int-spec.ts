import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ProverClient } from '@fresnel/adapters/prover-client';
import { be32, type Hash, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import {
  packProofs,
  startTestGateway,
  TEST_ADDRESS_TREE,
  type TestGateway,
  UNEXPECTED_PROVER,
} from '@fresnel/testing/gateway';
import { byFaultForm, sendHttp } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

const PROOFS = 1_000;
const HEIGHT = 26;
const ROUNDS = byFaultForm({ short: 4, long: 100 });

const HIGHEST = be32(2n ** 248n - 1n);
const siblingOf = (request: number, level: number) => be32(BigInt(level) * 2n ** 200n + BigInt(request));

/** Proofs in which most hashes depend on the addresses. */
const prover: ProverClient = {
  ...UNEXPECTED_PROVER,
  proveNewAddresses: (_, addresses) =>
    Promise.resolve({
      ...{ slot: 7, blockhash: null, root: addresses[0], rootSeq: 1n },
      ...packProofs(HEIGHT, addresses.map(proofOf)),
    }),
};

function proofOf(address: Hash, at: number) {
  return {
    ...{ address, lowerRangeAddress: ZERO_HASH, higherRangeAddress: HIGHEST },
    ...{ lowElementLeafIndex: at, nextIndex: at + 1 },
    siblings: Array.from({ length: HEIGHT }, (_, level) => siblingOf(address[31], level)),
  };
}

const addressesOf = (request: number) =>
  Array.from({ length: PROOFS }, (_, at) => toBase58(be32((at + 1) * 2 ** 16 + request)));
const bodyOf = (request: number) =>
  JSON.stringify({ jsonrpc: '2.0', id: request, method: 'getMultipleNewAddressProofs', params: addressesOf(request) });

/** The whole response to a request. */
function textOf(request: number): string {
  const addresses = addressesOf(request);
  const proof = Array.from({ length: HEIGHT }, (_, level) => toBase58(siblingOf(request, level)));
  const value = addresses.map((address, at) => ({
    ...{ address, lowerRangeAddress: toBase58(ZERO_HASH), higherRangeAddress: toBase58(HIGHEST) },
    ...{ lowElementLeafIndex: at, nextIndex: at + 1, merkleTree: toBase58(TEST_ADDRESS_TREE), proof },
    ...{ root: addresses[0], rootSeq: 1 },
  }));
  return JSON.stringify({ jsonrpc: '2.0', id: request, result: { context: { slot: 7 }, value } });
}

describe('large responses, whose memory is used again', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7);
    gateway = await startTestGateway({ databaseUrl: database.url, prover });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  async function requestOne(request: number): Promise<void> {
    const response = await sendHttp(gateway.url, { body: bodyOf(request), reusesConnection: true });
    expect(response.text === textOf(request)).toBe(true);
  }

  /** Reads a response of 5 MB after others: until then the last part of it waits in the gateway, because the kernel takes 4 MB. */
  async function requestBatch(first: number, others: () => Promise<unknown>): Promise<void> {
    const requests = Array.from({ length: 4 }, (_, at) => first + at);
    const headers = { 'content-type': 'application/json' };
    const outgoing = httpRequest(gateway.url, { method: 'POST', agent: false, headers });
    outgoing.end(`[${requests.map(bodyOf).join(',')}]`);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await others();
    expect((await text(incoming)) === `[${requests.map(textOf).join(',')}]`).toBe(true);
  }

  /** Closes the connection after some bytes of the response. */
  function requestAndLeave(request: number): Promise<void> {
    const body = bodyOf(request);
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`);
    socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    socket.once('data', () => socket.destroy());
    return new Promise((done, fail) => socket.once('error', fail).once('close', done));
  }

  it('have nothing of each other, also while clients read slowly or leave in the middle of one', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = (round * 9) % 200;
      await requestBatch(first, () =>
        Promise.all([
          ...[4, 5, 6].map((at) => requestOne(first + at)),
          ...[7, 8].map((at) => requestAndLeave(first + at)),
        ]),
      );
    }
  });
});
