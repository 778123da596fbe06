import { connect } from '@fresnel/adapters/store-schema';
import { type ProverClient, GrpcProverClient } from '@fresnel/adapters/prover-client';
import {
  createTreeRedis,
  InMemoryTreeJournal,
  InMemoryTreeStore,
  NO_QUEUE_CHANGES,
  type ProofStore,
  RedisTreeStore,
  type TreeStore,
} from '@fresnel/adapters/tree-store';
import { toSlot } from '@fresnel/domain/primitives';
import { createTree, NO_POSITIONS, NodePages, type TreeInfo } from '@fresnel/domain/trees';
import { createLogger, nestOptions, Registry } from '@fresnel/platform';
import { generatedTrees } from '@fresnel/ledger-generator';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { provideSharedServers, startTestRedis } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';
import { commitTo, sha256, testAddress } from '@fresnel/testing/trees';
import { type DataSource } from 'typeorm';
import { ProverServerModule, startProverServer } from './nest';
import { ProofReader } from './proof.reader';
import { createProverMetrics } from './prover.metrics';

const LEAVES = 500_000;
const LEAVES_PER_COMMIT = 5_000;
const PER_CALL = 1_000;
const AT_ONCE = 64;
const SLOT = toSlot(1);
const TREE = stateTree();

export const bench: Bench = {
  title: `Paths of accounts, ${PER_CALL.toLocaleString('en')} a time`,
  data: `a V2 state tree with ${LEAVES.toLocaleString('en')} leaves, random ones of them; Redis, Postgres and provers on the same machine`,
  unit: 'paths',
  prepare: async () => {
    const stop = await provideSharedServers();
    const [server, database] = [await startTestRedis(), await createTestDatabase()];
    const dataSource = await connect({ url: database.url, poolSize: 1, applicationName: 'bench' });
    const redis = createTreeRedis({ url: server.url });
    await redis.connect();
    const [inRedis, inMemory] = [
      new RedisTreeStore(redis, sha256, {}, new InMemoryTreeJournal()),
      await InMemoryTreeStore.open(sha256, null),
    ];
    for (const store of [inRedis, inMemory]) await fill(store);
    await fillNodes(dataSource);
    const prover = readerOf(inRedis);
    const parts = { prover, logger: createLogger('silent'), registry: new Registry() };
    const options = {
      PROVER_HOST: '127.0.0.1',
      PROVER_PORT: 0,
      PROVER_MAX_CONNECTION_AGE_MS: 600_000,
      closeTimeoutMs: 1_000,
    };
    const running = await startProverServer(ProverServerModule.register(parts), options, nestOptions(parts.logger));
    const client = new GrpcProverClient({ address: `127.0.0.1:${running.port}`, deadlineMs: 10_000 });
    return {
      ways: [
        { name: 'a tree in Redis, over gRPC', run: () => proveMany(client) },
        { name: 'a tree in Redis', run: () => proveMany(prover) },
        { name: 'a tree in memory', run: () => proveMany(readerOf(inMemory)) },
        { name: `a tree in Redis, one path a call, ${AT_ONCE} calls at once`, run: () => proveEach(prover) },
        { name: 'a table of nodes in Postgres, as Photon has it', run: () => readNodes(dataSource) },
      ],
      close: async () => {
        client.close();
        await running.close();
        redis.disconnect();
        await dataSource.destroy();
        await Promise.all([server.drop(), database.drop()]);
        await stop();
      },
    };
  },
};

function stateTree(): TreeInfo {
  const tree = generatedTrees().find(({ type }) => type === 'stateV2');
  if (!tree) throw new Error('there is no state tree');
  return tree;
}

function readerOf(store: ProofStore): ProverClient {
  const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
  return new ProofReader(store, sha256, options, createProverMetrics(new Registry()));
}

/** Appends all leaves. SHA-256 instead of Poseidon: reading paths does not hash. */
async function fill(store: TreeStore): Promise<void> {
  const known = new Map<number, Buffer>();
  const { head } = createTree(TREE, sha256);
  for (let from = 0; from < LEAVES; from += LEAVES_PER_COMMIT) {
    const pages = new NodePages((id) => known.get(id), sha256);
    const numbers = Array.from({ length: LEAVES_PER_COMMIT }, (_, at) => from + at);
    const root = pages.writeLeaves(new Map(numbers.map((number) => [number, testAddress(number)])), TREE.height);
    for (const [id, page] of pages.changedPages()) known.set(id, page);
    const nextIndex = from + LEAVES_PER_COMMIT;
    const positions = { ...NO_POSITIONS, seq: BigInt(nextIndex), queueEnd: BigInt(nextIndex) };
    const commit = {
      head: { ...head, ...positions, root, nextIndex, seen: positions },
      ...{ elements: [], removed: [], pages: pages.changedPages(), undo: [] },
      ...{ queue: NO_QUEUE_CHANGES, inputQueue: NO_QUEUE_CHANGES },
    };
    await commitTo(store, [commit], { slot: SLOT });
  }
}

/** One row for each node, numbered from the root, which is 1, with the children of n at 2n and 2n + 1. */
async function fillNodes(dataSource: DataSource): Promise<void> {
  await dataSource.query('CREATE TABLE nodes (number bigint PRIMARY KEY, hash bytea NOT NULL)');
  for (let level = 0, nodes = LEAVES; level <= TREE.height; level++, nodes = Math.ceil(nodes / 2)) {
    const first = 2 ** (TREE.height - level);
    await dataSource.query(
      'INSERT INTO nodes SELECT $1::bigint + at, sha256(at::text::bytea) FROM generate_series(0, $2::int - 1) AS at',
      [first, nodes],
    );
  }
  await dataSource.query('VACUUM ANALYZE nodes');
}

function proveMany(prover: ProverClient): Promise<BenchMeasurement> {
  return measureCall(async (leafIndices) => {
    const { leaves } = await prover.proveLeaves(TREE.tree, leafIndices, SLOT);
    return leaves.length;
  });
}

function proveEach(prover: ProverClient): Promise<BenchMeasurement> {
  return measureCall(async (leafIndices) => {
    let next = 0;
    const prove = async () => {
      while (next < leafIndices.length) await prover.proveLeaves(TREE.tree, [leafIndices[next++]], SLOT);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, prove));
    return next;
  });
}

function readNodes(dataSource: DataSource): Promise<BenchMeasurement> {
  return measureCall(async (leafIndices) => {
    const paths = leafIndices.map((leafIndex) => {
      const leaf = 2 ** TREE.height + leafIndex;
      return Array.from({ length: TREE.height }, (_, level) => siblingOf(Math.floor(leaf / 2 ** level)));
    });
    const rows = await dataSource.query<{ number: string; hash: Buffer }[]>(
      'SELECT number, hash FROM nodes WHERE number = ANY($1::bigint[])',
      [[...new Set(paths.flat())]],
    );
    const hashes = new Map(rows.map(({ number, hash }) => [Number(number), hash]));
    return paths.map((path) => path.map((number) => hashes.get(number))).length;
  });
}

function siblingOf(node: number): number {
  return node % 2 === 0 ? node + 1 : node - 1;
}

async function measureCall(call: (leafIndices: readonly number[]) => Promise<number>): Promise<BenchMeasurement> {
  const leafIndices = Array.from({ length: PER_CALL }, () => Math.floor(Math.random() * LEAVES));
  const startedAt = performance.now();
  const count = await call(leafIndices);
  const seconds = (performance.now() - startedAt) / 1000;
  return { count, seconds };
}
