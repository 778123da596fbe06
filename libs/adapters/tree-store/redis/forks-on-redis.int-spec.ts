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
  redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
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

/** A connection that breaks after some commands. `isLastDone`: Redis executes the last one, but its reply is lost. */
function breakingAfter(commands: number, isLastDone: boolean): { connection: RedisCommands; broken: Promise<void> } {
  let remaining = commands;
  let resolveBroken = (): void => undefined;
  const broken = new Promise<void>((done) => (resolveBroken = done));
  const callBuffer: RedisCommands['callBuffer'] = async (command, ...args) => {
    remaining--;
    if (remaining > 0) return redis.callBuffer(command, ...args);
    if (remaining === 0 && isLastDone) await redis.callBuffer(command, ...args);
    resolveBroken();
    throw new Error('connection broken');
  };
  return { connection: { on: () => undefined, callBuffer }, broken };
}

/** Runs a prover from the stored position, in batches of `size`, until all records are applied or `broken` resolves. */
async function resume(chain: ForkedTrees, on: RedisTreeStore, size: number, broken?: Promise<void>): Promise<void> {
  const from = (await store.findPosition(0)) ?? 0n;
  const prover = new TestProver(on, sha256, { firstOffset: from });
  const working = (async () => {
    for (const batch of cutAt(chain.published.slice(Number(from)), [size])) await prover.apply(batch);
  })();
  await Promise.race([working, ...(broken ? [broken] : [])]);
  const ended = prover.end();
  if (broken) await Promise.allSettled([working, ended]);
  else await ended;
}

const kill = fc.record({
  commands: fc.integer({ min: 1, max: 80 }),
  isLastDone: fc.boolean(),
  size: fc.integer({ min: 1, max: 50 }),
});

it('a prover that is killed at any command resumes to the same contents, with any batch size', async () => {
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
          const { connection, broken } = breakingAfter(commands, isLastDone);
          await resume(chain, new RedisTreeStore(connection, sha256), size, broken);
          await expectValidProofs(store);
        }
        await resume(chain, store, last);
        expect(await contentsOfTrees(store)).toEqual(expected);
      },
    ),
    { numRuns: 25 },
  );
});

it('a lost tree is rebuilt, including its forks, and other trees do not change', async () => {
  await redis.flushall();
  const chain = new ForkedTrees()
    .extend(blocks(4))
    .appendOrphaned(blocks(5))
    .extend(blocks(3))
    .appendOrphaned(blocks(2))
    .extend(blocks(2));
  await resume(chain, store, 7);
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
