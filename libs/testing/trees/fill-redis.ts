import { createTreeRedis, InMemoryTreeJournal, RedisTreeStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Slot } from '@fresnel/domain/primitives';
import { type AddressTreeInfo } from '@fresnel/domain/trees';
import { sha256, testAddress } from '@fresnel/testing/address-trees';
import { GrowingTree } from './growing-tree';
import { commitNext } from './tree-store-under-test';

const BATCH = 1_000;

/**
 * Stores an address tree with the test addresses 0 to `count - 1` in Redis.
 *
 * @param url of a Redis without trees
 * @param count a multiple of 1,000; the time grows with its square
 * @param slot of the trees
 */
export async function fillRedis(url: string, info: AddressTreeInfo, count: number, slot: Slot): Promise<void> {
  const redis = createTreeRedis({ url });
  await redis.connect();
  const partition = await new RedisTreeStore(redis, poseidon, {}, new InMemoryTreeJournal()).claimPartition(0, 1);
  const growing = new GrowingTree(info, sha256);
  for (let from = 0; from < count; from += BATCH) {
    const commit = growing.insert(...Array.from({ length: BATCH }, (_, at) => testAddress(from + at)));
    await commitNext(partition, [commit], { slot });
  }
  redis.disconnect();
}
