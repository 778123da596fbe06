import { describeForkedTrees } from '../forked-trees.contract';
import { range } from '@fresnel/testing/chain';
import { contentsOfTrees, contentsWithoutForks, cutAt, expectValidProofs, TestProver } from '@fresnel/testing/prover';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { ForkedTrees, sha256, testAddressTree } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { type Redis } from 'ioredis';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { TreeStoreKeys } from './keys';
import { createTreeRedis } from './redis-connection';
import { RedisTreeStore } from './redis.tree-store';
import { type RedisCommands } from './script-runner';

let server: TestRedis;
let redis: Redis;
let store: RedisTreeStore;
beforeAll(async () => {
  server = await startTestRedis();
  redis = createTreeRedis({ url: server.url });
  await redis.connect();
  store = new RedisTreeStore(redis, sha256);
});
afterAll(async () => {
  redis.disconnect();
  await server.drop();
});

const openReference = () => InMemoryTreeStore.open(sha256, null);
const openEmpty = async () => {
  await redis.flushall();
  return store;
};

describeForkedTrees('Redis', openEmpty, openReference, { numRuns: 15 });
describeForkedTrees('Redis, over 3 partitions', openEmpty, openReference, { numRuns: 5, partitionCount: 3 });

const block = { skipped: 1, inserted: 2, queued: 3, batched: 4 };
const blocks = (count: number) => range(1, count).map(() => block);

/** A connection that is gone after some commands; the last of them is carried out, or not. */
function endingAfter(commands: number, isLastDone: boolean): { connection: RedisCommands; gone: Promise<void> } {
  let left = commands;
  let tell = (): void => undefined;
  const gone = new Promise<void>((done) => (tell = done));
  const callBuffer: RedisCommands['callBuffer'] = async (command, ...args) => {
    left--;
    if (left > 0) return redis.callBuffer(command, ...args);
    if (left === 0 && isLastDone) await redis.callBuffer(command, ...args);
    tell();
    throw new Error('gone');
  };
  return { connection: { on: () => undefined, callBuffer }, gone };
}

/** Has a prover go on where the store stands, in batches of a size, until all is applied or `gone` settles. */
async function goOn(chain: ForkedTrees, on: RedisTreeStore, size: number, gone?: Promise<void>): Promise<void> {
  const from = (await store.findPosition(0)) ?? 0n;
  const prover = new TestProver(on, sha256, { firstOffset: from });
  const working = (async () => {
    for (const batch of cutAt(chain.published.slice(Number(from)), [size])) await prover.apply(batch);
  })();
  await Promise.race([working, ...(gone ? [gone] : [])]);
  const ended = prover.end();
  if (gone) await Promise.allSettled([working, ended]);
  else await ended;
}

const kill = fc.record({
  commands: fc.integer({ min: 1, max: 80 }),
  isLastDone: fc.boolean(),
  size: fc.integer({ min: 1, max: 50 }),
});

it('a prover that is killed anywhere ends where one ends that was not, whatever batches it takes next', async () => {
  const chain = new ForkedTrees().extend(blocks(4)).appendOrphaned(blocks(6)).repeat([9, 12, 15]).extend(blocks(5));
  chain.appendOrphaned(blocks(3)).extend(blocks(4)).repeat(range(0, 60));
  const expected = await contentsWithoutForks(chain, await openReference());
  await fc.assert(
    fc.asyncProperty(
      fc.array(kill, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 50 }),
      async (kills, last) => {
        await redis.flushall();
        for (const { commands, isLastDone, size } of kills) {
          const { connection, gone } = endingAfter(commands, isLastDone);
          await goOn(chain, new RedisTreeStore(connection, sha256), size, gone);
          await expectValidProofs(store);
        }
        await goOn(chain, store, last);
        expect(await contentsOfTrees(store)).toEqual(expected);
      },
    ),
    { numRuns: 25 },
  );
});

it('a tree that was lost is built again, forks and all, and the others stay as they are', async () => {
  await redis.flushall();
  const chain = new ForkedTrees()
    .extend(blocks(4))
    .appendOrphaned(blocks(5))
    .extend(blocks(3))
    .appendOrphaned(blocks(2))
    .extend(blocks(2));
  await goOn(chain, store, 7);
  const expected = await contentsOfTrees(store);
  const { tree: lost } = testAddressTree('addressV1');
  const { tree: kept } = testAddressTree('addressV2');
  const before = await store.readProofs(kept, []);
  await redis.del(new TreeStoreKeys().ofTree(lost).pages);
  const prover = new TestProver(store, sha256);
  for (const batch of cutAt(chain.published, [5])) {
    await prover.apply(batch);
    await expectValidProofs(store);
    expect(await store.readProofs(kept, [])).toEqual(before);
  }
  await prover.end();
  expect(await contentsOfTrees(store)).toEqual(expected);
});
