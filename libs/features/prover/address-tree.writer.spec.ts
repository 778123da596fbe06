import { InMemoryTreeStore, type TreeCommit } from '@fresnel/adapters/tree-store';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import {
  type AddressInsertChange,
  type AddressTreeChange,
  type TreeHead,
  type AddressUpdate,
  NO_POSITIONS,
  unservableReasonOf,
  type TreeObservation,
} from '@fresnel/domain/trees';
import { AddressTreeModel, commitTo, sha256, testAddress, testAddressTree, treeHasherOf } from '@fresnel/testing/trees';
import { TreeWriter } from './tree.writer';

const SLOT = toSlot(1_000);
const WRONG = Buffer.alloc(32, 9) as Hash;
const addresses = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => testAddress(from + at));

/** The chain's tree, and a store that writers update. */
async function setUp(type: 'addressV1' | 'addressV2', observed: Partial<TreeObservation> = {}) {
  const model = new AddressTreeModel(testAddressTree(type, observed), sha256);
  const store = await InMemoryTreeStore.open(sha256, null);
  const { tree } = model.info;
  return {
    model,
    store,
    /** Each argument has the changes of one slot. */
    follow: async (...slots: AddressTreeChange[][]): Promise<TreeCommit> => {
      const updates = slots.map((changes) => model.updateAt(SLOT, ...changes));
      const commit = await TreeWriter.apply(updates, await store.openTree(tree), treeHasherOf(sha256), false);
      await commitTo(store, [commit], { slot: SLOT });
      return commit;
    },
    readHead: async () => {
      const { head } = await store.openTree(tree);
      if (!head) throw new Error('the tree is not stored');
      return head;
    },
    unservableCode: async () => {
      const { head } = await store.openTree(tree);
      return head && (unservableReasonOf(head, SLOT, false)?.code ?? null);
    },
    /** Expects the stored tree to equal the chain's. */
    expectSame: async () => {
      const { root, seq, nextIndex, queueEnd } = model;
      const seen = { seq, queueEnd, inputQueueEnd: 0n };
      expect((await store.openTree(tree)).head).toMatchObject({
        root,
        seq,
        nextIndex,
        queueEnd,
        inputQueueStart: 0n,
        inputQueueEnd: 0n,
        seen,
        quarantineReason: null,
      });
      const values = addresses(0, 60);
      expect(await (await store.openTree(tree)).findLowElements(values)).toEqual(
        values.map((value) => model.lowOf(value)),
      );
    },
  };
}

/** The head after one more block changed the tree. */
function changedOnce({ changes: { count, lastSlot }, ...head }: TreeHead): TreeHead {
  return { ...head, changes: { count: count + 1, lastSlot } };
}

const isEmpty = ({ elements, pages, queue }: TreeCommit) => elements.length + pages.size + queue.added.size === 0;

describe('the writer of an AddressV1 tree', () => {
  it('creates the initial tree at its first update', async () => {
    const { follow, expectSame, unservableCode } = await setUp('addressV1');
    await follow([]);
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });

  it('applies events one by one and in one series', async () => {
    const { model, follow, expectSame } = await setUp('addressV1');
    await follow([model.insert(testAddress(0))]);
    await expectSame();
    await follow(
      [model.insert(...addresses(1, 8)), model.insert(testAddress(8))],
      [],
      [model.insert(...addresses(9, 12))],
    );
    await expectSame();
  });

  it('commits only what changed', async () => {
    const { model, follow } = await setUp('addressV1');
    await follow([model.insert(...addresses(0, 20))]);
    const change = model.insert(testAddress(20));
    const { elements, pages } = await follow([change]);
    const [{ low, high }] = change.updates;
    expect(elements).toEqual([low, high]);
    expect(pages.size).toBeLessThanOrEqual(2 * 7);
  });

  it('ignores repeated changes', async () => {
    const { model, follow, expectSame } = await setUp('addressV1');
    const [first, second, third] = [addresses(0, 5), addresses(5, 6), addresses(6, 9)].map((some) =>
      model.insert(...some),
    );
    await follow([first, second, first], [second]);
    const head = (await follow([third])).head;
    const again = await follow([first, second], [third]);
    expect(isEmpty(again)).toBe(true);
    expect(again.head).toEqual(head);
    await expectSame();
  });

  const first = (change: AddressInsertChange, altered: Partial<AddressUpdate>): AddressInsertChange => ({
    ...change,
    updates: [{ ...change.updates[0], ...altered }, ...change.updates.slice(1)],
  });
  it.each<[string, (change: AddressInsertChange) => AddressInsertChange]>([
    ['another low element', (change) => first(change, { low: { ...change.updates[0].low, value: WRONG } })],
    ['another next element of it', (change) => first(change, { low: { ...change.updates[0].low, nextIndex: 1 } })],
    ['another index of the new element', (change) => first(change, { high: { ...change.updates[0].high, index: 99 } })],
    [
      'another next element of the new element',
      (change) => first(change, { high: { ...change.updates[0].high, nextValue: WRONG } }),
    ],
    ['another hash of the low leaf', (change) => first(change, { lowHash: WRONG })],
    ['another hash of the new leaf', (change) => first(change, { highHash: WRONG })],
    ['the same address twice', (change) => ({ ...change, updates: [change.updates[0], change.updates[0]] })],
  ])('quarantines the tree when the chain reports %s', async (_, alter) => {
    const { model, store, follow, unservableCode, readHead } = await setUp('addressV1');
    await follow([model.insert(...addresses(0, 3))]);
    const before = await readHead();
    const change = model.insert(...addresses(3, 5));
    const commit = await follow([alter(change)]);
    const seen = { ...NO_POSITIONS, seq: model.seq };
    expect(commit.head).toEqual({ ...changedOnce(before), seen, quarantineReason: expect.any(String) as string });
    expect(isEmpty(commit)).toBe(true);
    expect(await unservableCode()).toBe('quarantined');
    expect(isEmpty(await follow([change]))).toBe(true);
    expect((await store.openTree(model.info.tree)).head).toEqual(commit.head);
  });

  it('keeps the changes before the contradicting block, and applies none after it', async () => {
    const { model, follow, unservableCode, readHead } = await setUp('addressV1');
    const right = model.insert(...addresses(0, 3));
    const { root, seq, nextIndex } = model;
    const [wrong, later] = [model.insert(...addresses(3, 6)), model.insert(testAddress(6))];
    await follow([right], [first(wrong, { highHash: WRONG })], [wrong], [later]);
    expect(await readHead()).toMatchObject({ root, seq, nextIndex, seen: { seq: model.seq }, changes: { count: 2 } });
    expect(await unservableCode()).toBe('quarantined');
  });

  it('stops at a gap, refuses proofs, and continues when the gap is filled', async () => {
    const { model, follow, unservableCode, readHead, expectSame } = await setUp('addressV1');
    await follow([model.insert(...addresses(0, 3))]);
    const [missing, later] = [model.insert(testAddress(3)), model.insert(...addresses(4, 6))];
    const before = await readHead();
    expect(isEmpty(await follow([later]))).toBe(true);
    expect(await readHead()).toEqual({
      ...changedOnce(before),
      seen: { ...NO_POSITIONS, seq: model.seq },
    });
    expect(await unservableCode()).toBe('operations-missing');
    await follow([missing], [later]);
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });

  it('refuses proofs of a tree whose beginning is missing', async () => {
    const { model, follow, unservableCode } = await setUp('addressV1');
    model.insert(...addresses(0, 3));
    await follow([model.insert(testAddress(3))]);
    expect(await unservableCode()).toBe('history-not-indexed');
  });

  describe('compares the root in the tree account', () => {
    const seqAfter = (count: number) => 3n + 2n * BigInt(count);
    const rootAfter = (count: number) => {
      const model = new AddressTreeModel(testAddressTree('addressV1'), sha256);
      model.insert(...addresses(0, count));
      return model.root;
    };

    it.each([
      ['and continues if it is equal, before the first insertion', 0, rootAfter(0), null],
      ['and quarantines the tree if it differs, before the first insertion', 0, WRONG, 'quarantined'],
      ['and continues if it is equal, in the middle of a series', 4, rootAfter(4), null],
      ['and quarantines the tree if it differs, in the middle of a series', 4, WRONG, 'quarantined'],
      ['and continues if it is equal, at the end', 6, rootAfter(6), null],
      ['and quarantines the tree if it differs, at the end', 6, WRONG, 'quarantined'],
      ['only at the sequence number at which it was read', 5, WRONG, null],
    ])('%s', async (_, count, root, expected) => {
      const { model, follow, unservableCode } = await setUp('addressV1', { seq: seqAfter(count), root });
      await follow(
        [model.insert(...addresses(0, 2))],
        [model.insert(...addresses(2, 4))],
        [model.insert(...addresses(4, 6))],
      );
      expect(await unservableCode()).toBe(expected);
    });
  });
});

describe('the writer of an AddressV2 tree', () => {
  it('keeps queued addresses, and inserts them with the root of the chain', async () => {
    const { model, store, follow, expectSame } = await setUp('addressV2');
    await follow([...model.enqueue(...addresses(0, 7))]);
    await expectSame();
    expect([...(await (await store.openTree(model.info.tree)).readQueue(0n, 9n)).values()]).toEqual(addresses(0, 7));
    await follow([model.batch(3)]);
    await expectSame();
    // Queued and inserted in two batches, within one series.
    await follow([...model.enqueue(...addresses(7, 12)), model.batch(5)], [model.batch(2)]);
    await expectSame();
    expect([...(await (await store.openTree(model.info.tree)).readQueue(0n, 99n)).keys()]).toEqual([10n, 11n]);
  });

  it('ignores repeated changes', async () => {
    const { model, follow, expectSame } = await setUp('addressV2');
    const queued = model.enqueue(...addresses(0, 6));
    const batches = [model.batch(2), model.batch(3)];
    await follow([...queued, ...queued, batches[0]]);
    const { head } = await follow([...queued, ...batches, ...batches]);
    const again = await follow([...queued], [...batches]);
    expect(isEmpty(again)).toBe(true);
    expect(again.head).toEqual(head);
    await expectSame();
  });

  it.each<[string, (model: AddressTreeModel) => AddressTreeChange[]]>([
    ['another root', (model) => [{ ...model.batch(3), newRoot: WRONG }]],
    ['another first index', (model) => [{ ...model.batch(3), oldNextIndex: 2n }]],
    ['another end index', (model) => [{ ...model.batch(3), newNextIndex: 3n }]],
    ['an address that the tree has', (model) => [model.batch(4), ...model.enqueue(testAddress(1)), model.batch(1)]],
  ])('quarantines the tree when a batch reports %s', async (_, changes) => {
    const { model, follow, unservableCode, readHead } = await setUp('addressV2');
    await follow(model.enqueue(...addresses(0, 4)));
    const before = await readHead();
    const commit = await follow(changes(model));
    const seen = { ...NO_POSITIONS, seq: model.seq, queueEnd: model.queueEnd };
    expect(commit.head).toEqual({ ...changedOnce(before), seen, quarantineReason: expect.any(String) as string });
    expect(isEmpty(commit)).toBe(true);
    expect(await unservableCode()).toBe('quarantined');
    const changesLater = [...model.enqueue(...addresses(10, 12)), model.batch(1)];
    const later = await follow(changesLater);
    expect(isEmpty(later)).toBe(true);
    expect(later.head).toEqual({
      ...commit.head,
      seen: { ...NO_POSITIONS, seq: model.seq, queueEnd: model.queueEnd },
    });
  });

  it('does not apply a batch of addresses that are missing in the queue, nor later batches', async () => {
    const { model, follow, unservableCode, readHead } = await setUp('addressV2');
    const queued = model.enqueue(...addresses(0, 6));
    const batches = [model.batch(2), model.batch(2)];
    await follow([batches[0]]);
    expect(await readHead()).toMatchObject({ seq: 0n, nextIndex: 1, seen: { seq: 1n }, quarantineReason: null });
    expect(await unservableCode()).toBe('history-not-indexed');
    await follow([queued[0], batches[0], batches[1]]);
    expect(await readHead()).toMatchObject({ seq: 0n, queueEnd: 1n, seen: { seq: 2n }, quarantineReason: null });
    expect(await unservableCode()).toBe('operations-missing');
  });

  it('stops at a gap in the queue, refuses proofs, and continues when the gap is filled', async () => {
    const { model, store, follow, unservableCode, readHead, expectSame } = await setUp('addressV2');
    const queued = model.enqueue(...addresses(0, 5));
    await follow([queued[0], queued[2], queued[3]]);
    expect(await readHead()).toMatchObject({ queueEnd: 1n, seen: { queueEnd: 4n } });
    expect((await (await store.openTree(model.info.tree)).readQueue(0n, 9n)).size).toBe(1);
    expect(await unservableCode()).toBe('operations-missing');
    await follow([...queued, model.batch(4)]);
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });
});
