import {
  GrpcProverClient,
  type NewAddressProofs,
  type ProverClient,
  ProverUnavailableError,
  ELEMENT_RECORD_BYTES,
} from '@fresnel/adapters/prover-client';
import { type ProverTls } from '@fresnel/contracts/prover';
import { toSlot } from '@fresnel/domain/primitives';
import { nestOptions, Registry } from '@fresnel/platform';
import { captureLog, Opened } from '@fresnel/testing/generic';
import { TestAuthority, type TestCertificate } from '@fresnel/testing/servers';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { MerklePaths } from '@fresnel/domain/trees';
import { ProverServerModule, startProverServer } from '../nest';

const { tree } = testAddressTree('addressV2');
const SLOT = toSlot(7);
/** Of one address. */
const PROOFS: NewAddressProofs = {
  slot: 7,
  blockhash: null,
  root: testAddress(1),
  rootSeq: 5n,
  elements: Buffer.alloc(ELEMENT_RECORD_BYTES),
  paths: MerklePaths.of([0], 0, Buffer.alloc(0)),
};

/** Counts the calls that reach it. */
class CountingProver implements ProverClient {
  calls = 0;

  proveNewAddresses(): Promise<NewAddressProofs> {
    this.calls++;
    return Promise.resolve(PROOFS);
  }

  proveLeaves(): Promise<never> {
    return Promise.reject(new Error('not called'));
  }

  findQueues(): Promise<never> {
    return Promise.reject(new Error('not called'));
  }

  findQueueElements(): Promise<never> {
    return Promise.reject(new Error('not called'));
  }
}

describe('an encrypted connection of a gateway and a prover', () => {
  const opened = new Opened();
  const clients: GrpcProverClient[] = [];
  const prover = new CountingProver();
  let authority: TestAuthority;
  let other: TestAuthority;
  let port: number;
  beforeAll(async () => {
    authority = new TestAuthority();
    other = new TestAuthority();
    port = await serve(authority.issue('prover'));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await opened.close();
    for (const each of [authority, other]) each.drop();
  });

  /** @returns the port of a new server */
  async function serve(certificate: TestCertificate): Promise<number> {
    const { logger } = captureLog();
    const root = ProverServerModule.register({ prover, logger, registry: new Registry() });
    const options = {
      PROVER_HOST: '127.0.0.1',
      PROVER_PORT: 0,
      PROVER_MAX_CONNECTION_AGE_MS: 60_000,
      closeTimeoutMs: 5_000,
    };
    const tls = { ca: authority.ca, ...certificate };
    return opened.add(await startProverServer(root, { ...options, tls }, nestOptions(logger))).port;
  }

  const gatewayTls = (): ProverTls => ({ ca: authority.ca, ...authority.issue('gateway') });

  function askWith(tls: ProverTls | null, address = `localhost:${port}`): Promise<NewAddressProofs> {
    const client = new GrpcProverClient({ address, tls, deadlineMs: 5_000 });
    clients.push(client);
    return client.proveNewAddresses(tree, [testAddress(0)], SLOT);
  }

  it('is accepted with certificates of the same authority', async () => {
    expect(await askWith(gatewayTls())).toEqual(PROOFS);
    expect(prover.calls).toBe(1);
  });

  it.each([
    ['an address', () => `127.0.0.1:${port}`],
    ['a list of addresses', () => `127.0.0.1:${port},127.0.0.1:${port}`],
    ['an address with a scheme', () => `dns:///127.0.0.1:${port}`],
  ])('is accepted if the client was given %s, for which the certificate is', async (_, address) => {
    expect(await askWith(gatewayTls(), address())).toEqual(PROOFS);
  });

  it.each(['localhost', '127.0.0.1'])('is refused if the certificate is not for %s', async (host) => {
    const foreign = await serve(authority.issue('foreign', 'DNS:address.invalid,IP:127.0.0.2'));
    const before = prover.calls;
    await expect(askWith(gatewayTls(), `${host}:${foreign}`)).rejects.toThrow(ProverUnavailableError);
    expect(prover.calls).toBe(before);
  });

  it.each([
    ['that is not encrypted', () => null],
    ['with the certificate of another authority', () => ({ ca: authority.ca, ...other.issue('intruder') })],
    ['of a gateway that trusts another authority', () => ({ ca: other.ca, ...authority.issue('gateway') })],
  ])('is refused to a client %s', async (_, tls) => {
    const before = prover.calls;
    await expect(askWith(tls())).rejects.toThrow(ProverUnavailableError);
    expect(prover.calls).toBe(before);
  });
});
