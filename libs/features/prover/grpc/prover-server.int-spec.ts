import { packPaths } from '@fresnel/testing/gateway';
import { createServer } from 'node:net';
import { create } from '@bufbuild/protobuf';
import {
  GrpcProverClient,
  LeafOutOfRangeError,
  type NewAddressProofs,
  NODE_BYTES,
  type ProverClient,
  ProverUnavailableError,
  type QueueElements,
  type StateTreeProofs,
  type TreeQueues,
  ELEMENT_RECORD_BYTES,
} from '@fresnel/adapters/prover-client';
import {
  FIND_QUEUE_ELEMENTS,
  FindQueueElementsRequestSchema,
  PROVE_LEAVES,
  PROVE_NEW_ADDRESSES,
  ProveLeavesRequestSchema,
} from '@fresnel/contracts/prover';
import { type Hash, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { findFreePort, nestOptions, Registry } from '@fresnel/platform';
import { describeProverClientContract } from '@fresnel/adapters/prover-client/prover-client.contract';
import { captureLog, TcpLink } from '@fresnel/testing/generic';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { Client, credentials, makeGenericClientConstructor, status } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { ProverServerModule, startProverServer } from '../nest';
import { MerklePaths } from '@fresnel/domain/trees';
import { type ProverServerOptions } from './prover.grpc-server';

const { tree } = testAddressTree('addressV2');
const SLOT = toSlot(7);
/** Of one address. */
const PROOFS: NewAddressProofs = {
  slot: 7,
  blockhash: testAddress(9),
  root: testAddress(1),
  rootSeq: 2n ** 64n - 5n,
  elements: Buffer.alloc(ELEMENT_RECORD_BYTES),
  paths: MerklePaths.of([0], 0, Buffer.alloc(0)),
};
const OPTIONS: ProverServerOptions = {
  PROVER_HOST: '127.0.0.1',
  PROVER_PORT: 0,
  PROVER_MAX_CONNECTION_AGE_MS: 60_000,
  closeTimeoutMs: 5_000,
};

const PATH = Array.from({ length: 32 }, (_, level) => testAddress(level));
const OUT_OF_RANGE = 2 ** 32;
const QUEUES: TreeQueues = {
  slot: 7,
  blockhash: null,
  queue: { start: 1n, end: 2n ** 63n },
  inputQueue: { start: 3n, end: 3n },
};

/** More nodes than fit in one message. */
const NODES = Array.from({ length: 20 }, (_, at) => Buffer.alloc(10_000 * NODE_BYTES, at));
const ELEMENTS: QueueElements = {
  ...{
    slot: 7,
    blockhash: testAddress(9),
    root: testAddress(1),
    rootSeq: 2n ** 64n - 5n,
    nextIndex: 2n ** 40n,
    nodes: NODES,
  },
  outputs: Array.from({ length: 4_001 }, (_, at) => ({
    ...{ leafIndex: 2 ** 32 + at, accountHash: testAddress(at), leaf: testAddress(at + 1) },
  })),
  inputs: [
    {
      ...{ queueIndex: 2n ** 63n, leafIndex: 3, accountHash: testAddress(1), txHash: testAddress(2) },
      ...{ nullifier: testAddress(3), leaf: testAddress(4) },
    },
  ],
  addresses: [
    {
      ...{ queueIndex: 2n ** 62n, address: testAddress(5), lowElementLeafIndex: 2 ** 39 },
      ...{ lowElementValue: testAddress(6), lowElementNextIndex: 2 ** 38, lowElementNextValue: testAddress(7) },
    },
  ],
  chains: { outputs: [testAddress(8)], inputs: [testAddress(9)], addresses: [testAddress(10), testAddress(11)] },
  frontier: PATH,
};
const ONE = { startIndex: null, limit: 1, zkpBatchSize: 1 };

/** A prover that a test controls. */
class ScriptedProver implements ProverClient {
  calls = 0;
  /** That of the last call. */
  requestId: string | undefined;
  answer: (signal?: AbortSignal) => Promise<NewAddressProofs> = () => Promise.resolve(PROOFS);

  proveNewAddresses(...[, , , options]: Parameters<ProverClient['proveNewAddresses']>): Promise<NewAddressProofs> {
    this.calls++;
    this.requestId = options?.requestId;
    return this.answer(options?.signal);
  }

  proveLeaves(_: Pubkey, leafIndices: readonly number[]): Promise<StateTreeProofs> {
    this.calls++;
    if (leafIndices.includes(OUT_OF_RANGE)) return Promise.reject(new LeafOutOfRangeError(OUT_OF_RANGE, 32));
    const { slot, blockhash, root, rootSeq } = PROOFS;
    const paths = packPaths(
      PATH.length,
      leafIndices.map((leafIndex) => ({ leafIndex, siblings: PATH })),
    );
    const leaves = leafIndices.map(testAddress);
    return Promise.resolve({ slot, blockhash, root, rootSeq, nextIndex: 2n ** 40n, leaves, paths });
  }

  findQueues(): Promise<TreeQueues> {
    this.calls++;
    return Promise.resolve(QUEUES);
  }

  findQueueElements(): Promise<QueueElements> {
    this.calls++;
    return Promise.resolve(ELEMENTS);
  }
}

/** Servers and clients of a test, closed after it. */
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const { logger, lines } = captureLog();

async function startServer(
  prover: ProverClient,
  options: Partial<ProverServerOptions> = {},
  registry = new Registry(),
) {
  const server = await startProverServer(
    ProverServerModule.register({ prover, logger, registry }),
    { ...OPTIONS, ...options },
    nestOptions(logger),
  );
  opened.push(server);
  return server;
}

function createClient(address: string | number, deadlineMs = 10_000): GrpcProverClient {
  const client = new GrpcProverClient({ address: String(address).replace(/^(?=\d+$)/, '127.0.0.1:'), deadlineMs });
  opened.push(client);
  return client;
}

const ask = (client: ProverClient, addresses: readonly Hash[] = [testAddress(0)]) =>
  client.proveNewAddresses(tree, addresses, SLOT);

/** A call without `GrpcProverClient`. */
function callRaw(port: number, path: string, request: Buffer): Promise<{ code: number; details: string }> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  opened.push(client);
  const asIs = (bytes: Buffer) => bytes;
  return new Promise((answer) => {
    client.makeUnaryRequest(path, asIs, asIs, request, (error) => {
      answer({ code: error?.code ?? status.OK, details: error?.details ?? '' });
    });
  });
}

async function checkHealth(port: number, service: string): Promise<string> {
  const Health = makeGenericClientConstructor(healthService, 'Health');
  const client = new Health(`127.0.0.1:${port}`, credentials.createInsecure());
  opened.push(client);
  return new Promise((answer, fail) => {
    const check = client.check.bind(client) as (
      request: object,
      callback: (error: Error | null, response: { status: string }) => void,
    ) => void;
    check({ service }, (error, response) => {
      if (error) fail(error);
      else answer(response.status);
    });
  });
}

function deferred() {
  let settle: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (settle = resolve));
  return { promise, settle };
}

describe('ProverService behind gRPC', () => {
  describeProverClientContract(async (prover) => {
    const server = await startProverServer(
      ProverServerModule.register({ prover, logger, registry: new Registry() }),
      OPTIONS,
      nestOptions(logger),
    );
    const client = new GrpcProverClient({ address: `127.0.0.1:${server.port}`, deadlineMs: 10_000 });
    const close = async () => {
      client.close();
      await server.close();
    };
    return { client, close };
  });
});

describe('the client', () => {
  it('preserves sequence numbers above 2^53', async () => {
    const { port } = await startServer(new ScriptedProver());
    expect(await ask(createClient(port))).toEqual(PROOFS);
  });

  it('calls provers directly although the environment names a proxy', async () => {
    const { port } = await startServer(new ScriptedProver());
    const nobody = `http://127.0.0.1:${await findFreePort()}`;
    const environment = jest.replaceProperty(process, 'env', { http_proxy: nobody });
    expect(
      await ask(createClient(port)).finally(() => {
        environment.restore();
      }),
    ).toEqual(PROOFS);
  });

  it('sends the id of the request, which the prover logs', async () => {
    const prover = new ScriptedProver();
    const { port } = await startServer(prover);
    const client = createClient(port);
    lines.length = 0;
    await client.proveNewAddresses(tree, [testAddress(0)], SLOT, { requestId: 'request-1' });
    expect(prover.requestId).toBe('request-1');
    await ask(client);
    expect(prover.requestId).toBeUndefined();
    prover.answer = () => Promise.reject(new Error('broken'));
    await client.proveNewAddresses(tree, [], SLOT, { requestId: 'request-2' }).catch(() => undefined);
    expect(lines.filter(({ msg }) => /^proof call/.test(msg))).toMatchObject([
      { msg: 'proof call answered', requestId: 'request-1', outcome: 'answered' },
      { msg: 'proof call answered', outcome: 'answered' },
      { msg: 'proof call answered', requestId: 'request-2', outcome: 'failed' },
      { msg: 'proof call failed', requestId: 'request-2' },
    ]);
  });

  it('returns the paths of leaves in the order of the request, and their state', async () => {
    const { port } = await startServer(new ScriptedProver());
    const { leaves, paths, ...state } = await createClient(port).proveLeaves(tree, [2 ** 32 - 1, 0, 0], SLOT);
    expect(state).toEqual({
      slot: 7,
      blockhash: testAddress(9),
      root: PROOFS.root,
      rootSeq: 2n ** 64n - 5n,
      nextIndex: 2n ** 40n,
    });
    expect(leaves).toEqual([2 ** 32 - 1, 0, 0].map(testAddress));
    expect([0, 1, 2].map((at) => paths.siblings(at))).toEqual([PATH, PATH, PATH]);
  });

  it('names a leaf index that the tree does not have', async () => {
    const { port } = await startServer(new ScriptedProver());
    await expect(createClient(port).proveLeaves(tree, [0, OUT_OF_RANGE], SLOT)).rejects.toMatchObject({
      code: 'leaf-out-of-range',
      isRetryable: false,
      leafIndex: OUT_OF_RANGE,
      height: 32,
    });
  });

  it('returns the ends of queues', async () => {
    const { port } = await startServer(new ScriptedProver());
    expect(await createClient(port).findQueues(tree, SLOT)).toEqual(QUEUES);
  });

  it('returns entries of queues that exceed a message', async () => {
    const { port } = await startServer(new ScriptedProver());
    const queues = { outputs: ONE, inputs: null, addresses: null };
    expect(await createClient(port).findQueueElements(tree, queues, SLOT)).toEqual(ELEMENTS);
  });

  it('cancels a call at its deadline', async () => {
    const prover = new ScriptedProver();
    const end = deferred();
    prover.answer = () => end.promise.then(() => PROOFS);
    const { port } = await startServer(prover);
    const asked = ask(createClient(port, 50));
    await expect(asked).rejects.toThrow(ProverUnavailableError);
    await expect(asked).rejects.toThrow('DEADLINE_EXCEEDED');
    end.settle();
  });

  it.each([
    ['at its deadline', 2_000],
    ['when the caller aborts the request', 600_000],
  ])('aborts the request in the prover %s', async (when, deadlineMs) => {
    const prover = new ScriptedProver();
    const aborted = deferred();
    const caller = new AbortController();
    prover.answer = (signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new ProverUnavailableError('the request was aborted'));
          aborted.settle();
        });
        // The prover has the request now: before that it has nothing to abort.
        if (when !== 'at its deadline') caller.abort();
      });
    const { port } = await startServer(prover);
    const { signal } = caller;
    const asked = createClient(port, deadlineMs).proveNewAddresses(tree, [testAddress(0)], SLOT, { signal });
    await expect(asked).rejects.toThrow(ProverUnavailableError);
    await aborted.promise;
  });

  it('does not call a prover for a request that is aborted already', async () => {
    const prover = new ScriptedProver();
    const { port } = await startServer(prover);
    const asked = createClient(port).proveNewAddresses(tree, [], SLOT, { signal: AbortSignal.abort() });
    await expect(asked).rejects.toThrow('the request was aborted');
    expect(prover.calls).toBe(0);
  });

  it('reports an unavailable prover, and calls it again when it is back', async () => {
    const port = await findFreePort();
    const first = await startServer(new ScriptedProver(), { PROVER_PORT: port });
    const client = createClient(port);
    await ask(client);
    await first.close();
    await expect(ask(client)).rejects.toMatchObject({ code: 'prover-unavailable', isRetryable: true });
    await startServer(new ScriptedProver(), { PROVER_PORT: port });
    let answer: NewAddressProofs | null = null;
    while (!answer) answer = await ask(client).catch(() => null);
    expect(answer).toEqual(PROOFS);
  });

  it('distributes calls among several provers, and continues with the remaining ones', async () => {
    const provers = [new ScriptedProver(), new ScriptedProver()];
    const servers = await Promise.all(provers.map((prover) => startServer(prover)));
    const client = createClient(servers.map(({ port }) => `127.0.0.1:${port}`).join(','));
    while (provers.some(({ calls }) => calls === 0)) await ask(client);
    const before = provers.map(({ calls }) => calls);
    for (let call = 0; call < 10; call++) await ask(client);
    expect(provers.map(({ calls }, at) => calls - before[at])).toEqual([5, 5]);
    await servers[0].close();
    for (let call = 0; call < 10; call++) expect(await ask(client)).toEqual(PROOFS);
  });

  it('does not retry a refused call', async () => {
    const prover = new ScriptedProver();
    prover.answer = () => Promise.reject(new ProverUnavailableError('behind'));
    const { port } = await startServer(prover);
    await expect(ask(createClient(port))).rejects.toMatchObject({ message: 'behind' });
    expect(prover.calls).toBe(1);
  });

  it('cancels open calls when it is closed', async () => {
    const prover = new ScriptedProver();
    const [started, end] = [deferred(), deferred()];
    prover.answer = async () => {
      started.settle();
      await end.promise;
      return PROOFS;
    };
    const { port } = await startServer(prover);
    const client = createClient(port);
    const asked = expect(ask(client)).rejects.toThrow('CANCELLED');
    await started.promise;
    client.close();
    await asked;
    await expect(ask(client)).rejects.toThrow(ProverUnavailableError);
    end.settle();
  });

  it('rejects a server that is not a prover', async () => {
    const otherServer = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((listening) => otherServer.listen(0, '127.0.0.1', listening));
    opened.push(otherServer);
    const { port } = otherServer.address() as { port: number };
    await expect(ask(createClient(port, 2_000))).rejects.toThrow(ProverUnavailableError);
  });
});

describe('the server', () => {
  it.each([
    ['a tree that is not a public key', Buffer.from([0x0a, 1, 7])],
    ['an address that is too short', Buffer.concat([Buffer.from([0x0a, 32]), tree, Buffer.from([0x12, 1, 7])])],
    [
      'too many addresses',
      Buffer.concat([
        Buffer.from([0x0a, 32]),
        tree,
        ...Array.from({ length: 1_001 }, () => [Buffer.from([0x12, 32]), testAddress(0)]).flat(),
      ]),
    ],
  ])('rejects %s', async (_, request) => {
    const prover = new ScriptedProver();
    const { port } = await startServer(prover);
    expect(await callRaw(port, PROVE_NEW_ADDRESSES.path, request)).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(prover.calls).toBe(0);
  });

  it.each([
    ['a leaf index above 2^53', [2n ** 60n]],
    ['too many leaf indices', Array.from({ length: 1_001 }, () => 0n)],
  ])('rejects %s', async (_, leafIndices) => {
    const prover = new ScriptedProver();
    const { port } = await startServer(prover);
    const request = PROVE_LEAVES.requestSerialize(create(ProveLeavesRequestSchema, { tree, leafIndices }));
    expect(await callRaw(port, PROVE_LEAVES.path, request)).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(prover.calls).toBe(0);
  });

  it.each([
    ['too many entries', { limit: 30_001, zkpBatchSize: 1 }],
    ['batches without entries', { limit: 1, zkpBatchSize: 0 }],
  ])('rejects %s', async (_, outputQueue) => {
    const prover = new ScriptedProver();
    const { port } = await startServer(prover);
    const request = FIND_QUEUE_ELEMENTS.requestSerialize(create(FindQueueElementsRequestSchema, { tree, outputQueue }));
    expect(await callRaw(port, FIND_QUEUE_ELEMENTS.path, request)).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(prover.calls).toBe(0);
  });

  it('does not reveal internal errors', async () => {
    const prover = new ScriptedProver();
    prover.answer = () => Promise.reject(new Error('password of 10.0.0.7 is wrong'));
    const { port } = await startServer(prover);
    const asked = ask(createClient(port));
    await expect(asked).rejects.toMatchObject({ code: 'prover-call', isRetryable: false });
    await expect(asked).rejects.not.toThrow('password');
    expect(lines.at(-1)).toMatchObject({ level: 'error', msg: 'proof call failed' });
  });

  it('answers the standard health check', async () => {
    const { port } = await startServer(new ScriptedProver());
    expect(await checkHealth(port, '')).toBe('SERVING');
    expect(await checkHealth(port, 'fresnel.prover.v1.Prover')).toBe('SERVING');
  });

  it('finishes open calls before it closes', async () => {
    const prover = new ScriptedProver();
    const [started, end] = [deferred(), deferred()];
    prover.answer = async () => {
      started.settle();
      await end.promise;
      return PROOFS;
    };
    const server = await startServer(prover);
    const asked = ask(createClient(server.port));
    await started.promise;
    const closed = server.close();
    end.settle();
    expect(await asked).toEqual(PROOFS);
    await closed;
  });

  it('cancels open calls after the close timeout', async () => {
    const prover = new ScriptedProver();
    const started = deferred();
    prover.answer = () => {
      started.settle();
      return new Promise(() => undefined);
    };
    const server = await startServer(prover, { closeTimeoutMs: 20 });
    const asked = expect(ask(createClient(server.port, 2_000))).rejects.toThrow(ProverUnavailableError);
    await started.promise;
    await server.close();
    await asked;
  });

  it('makes clients reconnect without losing a call', async () => {
    // A busy machine makes a call in far less than the age: a call that meets three aged connections in a row is lost.
    const { port } = await startServer(new ScriptedProver(), { PROVER_MAX_CONNECTION_AGE_MS: 500 });
    const link = await TcpLink.to(`http://127.0.0.1:${port}`);
    const client = createClient(Number(new URL(link.url).port));
    while (link.accepted < 4) expect(await ask(client)).toEqual(PROOFS);
    await link.cut();
  });

  it('fails if its port is in use', async () => {
    // gRPC also prints the error.
    const consoleError = jest.spyOn(console, 'error').mockReturnValue();
    const { port } = await startServer(new ScriptedProver());
    await expect(startServer(new ScriptedProver(), { PROVER_PORT: port })).rejects.toThrow('EADDRINUSE');
    consoleError.mockRestore();
  });

  it('records call durations by outcome', async () => {
    const registry = new Registry();
    const prover = new ScriptedProver();
    const { port } = await startServer(prover, {}, registry);
    const client = createClient(port);
    await ask(client);
    prover.answer = () => Promise.reject(new ProverUnavailableError('behind'));
    await expect(ask(client)).rejects.toThrow();
    const text = await registry.metrics();
    expect(text).toContain('fresnel_prover_call_seconds_count{outcome="answered"} 1');
    expect(text).toContain('fresnel_prover_call_seconds_count{outcome="prover-unavailable"} 1');
  });
});
