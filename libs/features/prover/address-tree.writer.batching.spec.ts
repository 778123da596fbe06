import { InMemoryTreeStore, type TreeStore } from '@fresnel/adapters/tree-store';
import { HASH_BYTES, keyOf, toSlot, type TreeHasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { pagesOnPath } from '@fresnel/domain/trees';
import { range } from '@fresnel/testing/chain';
import { AddressTreeModel, commitTo, sha256, testAddress, testAddressTree, treeHasherOf } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { TreeWriter } from './tree.writer';

const trees = [testAddressTree('addressV1'), testAddressTree('addressV2')];
/** 40 slots, each with a few changes of one tree or both. */
const SLOTS = makeSlots(40);

function makeSlots(count: number): { models: AddressTreeModel[]; updates: TreeUpdate[] } {
  const models = trees.map((info) => new AddressTreeModel(info, sha256));
  const [v1, v2] = models;
  let used = 0;
  const nextAddresses = (length: number) => Array.from({ length }, () => testAddress(used++));
  const updates = Array.from({ length: count }, (_, slot): TreeUpdate => {
    if (slot % 3 === 0)
      return v1.updateAt(slot, v1.insert(...nextAddresses(1 + (slot % 4))), v1.insert(...nextAddresses(1)));
    const queued = v2.enqueue(...nextAddresses(slot % 5));
    const queueLength = Number(v2.queueEnd) - (v2.nextIndex - 1);
    return v2.updateAt(slot, ...queued, ...(slot % 4 === 1 && queueLength >= 3 ? [v2.batch(3)] : []));
  });
  return { models, updates };
}

/** Applies a part of the stream as the prover does: one writer per tree. */
async function apply(store: TreeStore, updates: readonly TreeUpdate[]): Promise<void> {
  const commits = trees.map(async ({ tree }) => {
    const own = updates.filter((update) => keyOf(update.tree.tree) === keyOf(tree));
    return own.length === 0
      ? []
      : [await TreeWriter.apply(own, await store.openTree(own[0].tree.tree), treeHasherOf(sha256), false)];
  });
  await commitTo(store, (await Promise.all(commits)).flat(), { slot: toSlot(1) });
}

/** The complete stored state of the trees: heads, and a digest of the rest. */
async function contentsOf(store: TreeStore) {
  const addresses = Array.from({ length: 200 }, (_, number) => testAddress(number));
  return Promise.all(
    trees.map(async ({ tree, height }) => {
      const ids = new Set(Array.from({ length: 130 }, (_, leaf) => pagesOnPath(leaf, height)).flat());
      const opened = await store.openTree(tree);
      const lows = await opened.findLowElements(addresses);
      const values = lows.map((low) => low && [low.index, low.nextIndex, keyOf(low.value), keyOf(low.nextValue)]);
      const numbered = [...(await opened.readPages([...ids])), ...(await opened.readQueue(0n, 200n))];
      const bytes = numbered.map(([number, bytes]) => `${number} ${bytes.toString('hex')}`);
      return { head: opened.head, rest: sha256([Buffer.from(JSON.stringify([values, bytes]))]) };
    }),
  );
}

describe('a stream of tree updates', () => {
  it('produces the trees of the chain', async () => {
    const store = await InMemoryTreeStore.open(sha256, null);
    await apply(store, SLOTS.updates);
    for (const { info, root, seq, nextIndex, queueEnd } of SLOTS.models) {
      expect((await store.openTree(info.tree)).head).toMatchObject({
        root,
        seq,
        nextIndex,
        queueEnd,
        quarantineReason: null,
      });
    }
  });

  it('produces the same trees for any batching and any repetition', async () => {
    const whole = await InMemoryTreeStore.open(sha256, null);
    await apply(whole, SLOTS.updates);
    const expected = await contentsOf(whole);
    const steps = fc.array(fc.record({ size: fc.integer({ min: 1, max: 15 }), back: fc.nat(12) }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const store = await InMemoryTreeStore.open(sha256, null);
        let end = 0;
        for (const { size, back } of steps) {
          await apply(store, SLOTS.updates.slice(Math.max(0, end - back), end + size));
          end = Math.min(end + size, SLOTS.updates.length);
        }
        await apply(store, SLOTS.updates.slice(end));
        expect(await contentsOf(store)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('hashes each touched leaf and each of its ancestors once a batch', async () => {
    const model = new AddressTreeModel(testAddressTree('addressV2'), sha256);
    const store = await InMemoryTreeStore.open(sha256, null);
    const { hash, hashBatch, hashSeries } = treeHasherOf(sha256);
    let hashes = 0;
    const counting: TreeHasher = {
      hash,
      hashBatch: (arity, inputs) => {
        hashes += inputs.length / HASH_BYTES / arity;
        return hashBatch(arity, inputs);
      },
      hashSeries: (series) => {
        hashes += series.operands.length / 2;
        return hashSeries(series);
      },
    };
    for (let slot = 0; slot < 4; slot++) {
      const addresses = range(slot * 100, slot * 100 + 99).map(testAddress);
      const touched = new Set<string>();
      const update = model.updateAt(slot, ...model.enqueue(...addresses));
      const before = new Set(model.all);
      update.changes = [...update.changes, model.batch(addresses.length)];
      for (const { index } of model.all.filter((element) => !before.has(element))) {
        for (let level = 0; level <= model.info.height; level++)
          touched.add(`${level}/${Math.floor(index / 2 ** level)}`);
      }
      hashes = 0;
      const commit = await TreeWriter.apply([update], await store.openTree(update.tree.tree), counting, false);
      expect(commit.head.quarantineReason).toBeNull();
      expect(hashes).toBe(touched.size);
      expect(commit.head.root).toEqual(model.root);
      await commitTo(store, [commit], { slot: toSlot(slot) });
    }
  });
});
