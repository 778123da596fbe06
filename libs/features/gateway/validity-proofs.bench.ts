import { blockhashAt } from '@fresnel/testing/chain';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ProverClient } from '@fresnel/adapters/prover-client';
import { HttpValidityProver, type ValidityProver } from '@fresnel/adapters/validity-prover';
import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import {
  be32,
  type Hash,
  HASH_BYTES,
  type Hasher,
  toBase58,
  toHash,
  toPubkey,
  toSlot,
} from '@fresnel/domain/primitives';
import { NodePages, MerklePaths } from '@fresnel/domain/trees';
import { rootsOfPaths } from '@fresnel/domain/trees/validity-proofs';
import { startTestGateway, UNEXPECTED_PROVER } from '@fresnel/testing/gateway';
import { type Bench, type BenchMeasurement, type BenchWay, postJson } from '@fresnel/testing/generic';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase, fillAccounts, insertTree, setIndexedSlot } from '@fresnel/testing/store';
import { WasmFactory } from '@lightprotocol/hasher.rs';

const ACCOUNTS = 100_000;
/** The accounts that are proven, evenly distributed over the leaves of a tree. */
const PROVABLE = 50_000;
const LEAVES = 1_000_000;
const CALLS = 100;
/** The largest circuit. */
const MOST = 20;
const SLOT = toSlot(1_000);
const HEIGHT = 32;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const [TREE, OTHER_TREE] = [key(1), key(2)];
const PROVABLE_LEAVES = Array.from({ length: PROVABLE }, (_, at) => (at * LEAVES) / PROVABLE);
const leafAt = (leafIndex: number): Hash => be32(1_000_000 + leafIndex);

/** The generator of the curve, as all points of a proof. */
const PROOF = JSON.stringify({
  ar: ['0x1', '0x2'],
  bs: [
    ['0x1', '0x2'],
    ['0x3', '0x4'],
  ],
  krs: ['0x1', '0x2'],
});

/** A validity prover whose server answers at once. */
async function startValidityProver(): Promise<{ prover: ValidityProver; close: () => void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(PROOF));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const options = { circuits: 'full', apiKey: null, timeoutMs: 10_000, concurrency: 8 } as const;
  const urls = [`http://127.0.0.1:${port}`];
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { prover: new HttpValidityProver({ ...options, urls, onAttempt: () => undefined }), close };
}

export const bench: Bench = {
  title: 'Validity proofs without the time of the validity prover',
  data: `accounts of a V2 tree with ${LEAVES.toLocaleString('en')} leaves, ${ACCOUNTS.toLocaleString('en')} others, one call after the other over HTTP; gateway, caller, Postgres and a validity prover that answers at once on the same machine`,
  unit: 'answers',
  prepare: async () => {
    const stop = await provideSharedServers();
    const database = await createTestDatabase();
    await insertTree(database.dataSource, { tree: TREE, queue: TREE, treeType: 3, appendedLeaves: LEAVES });
    await insertTree(database.dataSource, { tree: OTHER_TREE, queue: OTHER_TREE, treeType: 1 });
    await fillAccounts(database.dataSource, OTHER_TREE, ACCOUNTS);
    await database.dataSource.query(
      `INSERT INTO accounts (hash, created_by, tree_id, leaf_index, owner, lamports)
       SELECT leaf.hash, 10 << 16, t.id, leaf.index, $2, 1
       FROM trees t, unnest($3::bytea[], $4::bigint[]) AS leaf (hash, index) WHERE t.tree = $1`,
      [TREE, key(3), PROVABLE_LEAVES.map(leafAt), PROVABLE_LEAVES],
    );
    await setIndexedSlot(database.dataSource, SLOT, { blockhash: blockhashAt(SLOT) });
    const prover = proverOf(filledTree());
    const options = { databaseUrl: database.url, prover };
    const validityProver = await startValidityProver();
    const gateway = await startTestGateway({ ...options, validityProver: validityProver.prover });
    const prove = (accounts: number, name: string): BenchWay => ({
      name,
      run: () => measureCalls(gateway.url, 'getValidityProofV2', (hashes) => ({ hashes }), accounts),
    });
    const check = (name: string, hashBatch: typeof poseidonBatch): BenchWay => ({
      name: `checking ${MOST} paths alone, ${name}`,
      run: () => measureChecks(prover, hashBatch),
    });
    const light = await WasmFactory.getInstance();
    const lightHasher: Hasher = (inputs) => toHash(Buffer.from(light.poseidonHash(inputs.map(toDecimal))));
    return {
      ways: [
        prove(1, 'of 1 account'),
        prove(4, 'of 4 accounts'),
        prove(8, 'of 8 accounts'),
        prove(MOST, `of ${MOST} accounts`),
        {
          name: `the Merkle paths of ${MOST} accounts: getMultipleCompressedAccountProofsV2`,
          run: () => measureCalls(gateway.url, 'getMultipleCompressedAccountProofsV2', (hashes) => hashes, MOST),
        },
        check('level by level', poseidonBatch),
        check('hash by hash', eachOf(poseidon)),
        check('hash by hash with hasher.rs', eachOf(lightHasher)),
      ],
      close: async () => {
        validityProver.close();
        await gateway.close();
        await database.drop();
        await stop();
      },
    };
  },
};

function filledTree(): { pages: NodePages; root: Hash } {
  const pages = new NodePages(() => undefined, poseidon);
  const root = pages.writeLeaves(new Map(PROVABLE_LEAVES.map((leafIndex) => [leafIndex, leafAt(leafIndex)])), HEIGHT);
  return { pages, root };
}

function proverOf({ pages, root }: { pages: NodePages; root: Hash }): ProverClient {
  return {
    ...UNEXPECTED_PROVER,
    proveLeaves: (_, leafIndices) =>
      Promise.resolve({
        ...{ slot: SLOT, blockhash: blockhashAt(SLOT), root, rootSeq: 1n, nextIndex: BigInt(LEAVES) },
        leaves: leafIndices.map(leafAt),
        paths: MerklePaths.read(pages, leafIndices, HEIGHT),
      }),
  };
}

async function measureCalls(
  url: string,
  method: string,
  paramsOf: (hashes: string[]) => unknown,
  accounts: number,
): Promise<BenchMeasurement> {
  const times: number[] = [];
  for (let at = 0; at < CALLS; at++) {
    const hashes = randomLeaves(accounts).map((leafIndex) => toBase58(leafAt(leafIndex)));
    const startedAt = performance.now();
    const { body } = await postJson(url, { jsonrpc: '2.0', id: at, method, params: paramsOf(hashes) });
    times.push(performance.now() - startedAt);
    if (!(body as { result?: unknown }).result) throw new Error(`no result: ${JSON.stringify(body)}`);
  }
  return toMeasurement(times);
}

/** Hashes the groups of a batch one by one. */
function eachOf(hasher: Hasher): typeof poseidonBatch {
  return (arity, inputs) => {
    const input = (at: number) => inputs.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    const groups = inputs.length / HASH_BYTES / arity;
    return Buffer.concat(
      Array.from({ length: groups }, (_, group) =>
        hasher(Array.from({ length: arity }, (_, at) => input(group * arity + at))),
      ),
    );
  };
}

async function measureChecks(prover: ProverClient, hashBatch: typeof poseidonBatch): Promise<BenchMeasurement> {
  const times: number[] = [];
  for (let at = 0; at < CALLS; at++) {
    const leafIndices = randomLeaves(MOST);
    const { leaves, paths } = await prover.proveLeaves(TREE, leafIndices, SLOT);
    const startedAt = performance.now();
    rootsOfPaths(
      leaves.map((leaf, at) => ({ leaf, leafIndex: leafIndices[at], siblings: paths.siblings(at) })),
      hashBatch,
    );
    times.push(performance.now() - startedAt);
  }
  return toMeasurement(times);
}

function toMeasurement(times: number[]): BenchMeasurement {
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000;
  const median = times.sort((a, b) => a - b)[times.length >> 1];
  return { count: times.length, seconds, details: `${median.toFixed(1)} ms (median)` };
}

/** Different leaf indices. */
function randomLeaves(count: number): number[] {
  const leaves = new Set<number>();
  while (leaves.size < count) leaves.add(PROVABLE_LEAVES[Math.floor(Math.random() * PROVABLE)]);
  return [...leaves];
}

function toDecimal(hash: Buffer): string {
  return BigInt(`0x${hash.toString('hex')}`).toString();
}
