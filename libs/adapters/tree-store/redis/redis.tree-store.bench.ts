import { toSlot } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Bench } from '@fresnel/testing/generic';
import { startTestRedis } from '@fresnel/testing/servers';
import { commitNext, GrowingTree, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { InMemoryTreeJournal } from '../in-memory.tree-journal';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { type TreeCommit, type TreeStore } from '../tree-store';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';

const ADDRESSES = 20_000;
const BATCH = 500;
const REQUESTS = 2_000;
const AT_ONCE = 32;
const LARGE = 1_000;

export const bench: Bench = {
  title: 'Address trees in Redis: proofs read, addresses committed',
  data: `one V1 tree with ${ADDRESSES.toLocaleString('en')} addresses, ${BATCH} a commit, Redis on the same machine`,
  unit: 'addresses',
  prepare: async () => {
    const server = await startTestRedis();
    const redis = createTreeRedis({ url: server.url });
    await redis.connect();
    const growing = new GrowingTree(testAddressTree('addressV1'), sha256);
    const commits = Array.from({ length: ADDRESSES / BATCH }, (_, batch) =>
      growing.insert(...Array.from({ length: BATCH }, (_unused, at) => testAddress(batch * BATCH + at))),
    );
    const stores: [string, () => Promise<TreeStore>][] = [
      ['Redis', () => Promise.resolve(new RedisTreeStore(redis, poseidon, {}, new InMemoryTreeJournal()))],
      ['memory', () => InMemoryTreeStore.open(poseidon, null)],
    ];
    const ways = [];
    for (const [name, open] of stores) {
      const store = await open();
      await commitAll(store, commits);
      ways.push(
        {
          name: `one address a request, ${AT_ONCE} requests at once, ${name}`,
          run: () => prove(store, REQUESTS, 1, AT_ONCE),
        },
        { name: `one address a request, one at a time, ${name}`, run: () => prove(store, REQUESTS, 1, 1) },
        { name: `${LARGE} addresses a request, one at a time, ${name}`, run: () => prove(store, 10, LARGE, 1) },
        {
          name: `committed, ${name}`,
          run: async () => {
            await redis.flushall();
            return commitAll(await open(), commits);
          },
        },
      );
    }
    // Committing flushes Redis, so all reads run first.
    ways.sort((a, b) => Number(a.name.startsWith('committed')) - Number(b.name.startsWith('committed')));
    return {
      ways,
      close: async () => {
        redis.disconnect();
        await server.drop();
      },
    };
  },
};

async function prove(store: TreeStore, requests: number, addresses: number, atOnce: number): Promise<number> {
  const { tree } = testAddressTree('addressV1');
  let remaining = requests;
  const run = async () => {
    for (; remaining > 0; remaining--) {
      const requested = Array.from({ length: addresses }, (_, at) => testAddress(1e6 + remaining * addresses + at));
      await store.readProofs(tree, requested, toSlot(0));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return requests * addresses;
}

async function commitAll(store: TreeStore, commits: readonly TreeCommit[]): Promise<number> {
  const partition = await store.claimPartition(0, 1);
  for (const [at, commit] of commits.entries()) await commitNext(partition, [commit], { slot: toSlot(at) });
  return ADDRESSES;
}
