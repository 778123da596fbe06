import { NO_QUEUE_CHANGES, InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import {
  type AddressTreeChange,
  type AddressTreeType,
  unservableReasonOf,
  type TreeObservation,
  UNDO_DEPTH,
} from '@fresnel/domain/trees';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { AddressTreeModel, commitTo, sha256, testAddress, testAddressTree, treeHasherOf } from '@fresnel/testing/trees';
import { revertBlocks } from './revert-blocks';
import { TreeWriter } from './tree.writer';

const WRONG = Buffer.alloc(32, 9) as Hash;

/** A tree to which slots are applied and reverted. */
async function setUp(type: AddressTreeType = 'addressV1', acceptGaps = false) {
  const { info } = new AddressTreeModel(testAddressTree(type), sha256);
  const store = await InMemoryTreeStore.open(sha256, null);
  const headNow = async () => {
    const { head } = await store.openTree(info.tree);
    if (!head) throw new Error('the tree is not stored');
    return head;
  };
  return {
    store,
    model: new AddressTreeModel(info, sha256),
    headNow,
    /** Applies slots in one series: each with its changes, on a branch. */
    follow: async (
      slots: [slot: number, ...AddressTreeChange[]][],
      { branch = 'main', observed = {} }: { branch?: string; observed?: Partial<TreeObservation> } = {},
    ) => {
      const tree = testAddressTree(type, observed);
      const updates = slots.map(([slot, ...changes]) => ({
        ...blockLinkAt(slot, branch),
        tree,
        changes,
      }));
      const commit = await TreeWriter.apply(updates, await store.openTree(info.tree), treeHasherOf(sha256), acceptGaps);
      await commitTo(store, [commit]);
    },
    /** Reverts slots. @param slots newest first */
    revert: async (slots: number[], branch = 'main') => {
      const blocks = slots.map((slot) => ({ slot: toSlot(slot), blockhash: blockhashAt(slot, branch) }));
      const commit = await revertBlocks(blocks, await store.openTree(info.tree), treeHasherOf(sha256), acceptGaps);
      await commitTo(store, commit ? [commit] : []);
      return headNow();
    },
    unservableCodeAt: async (slot: number) =>
      unservableReasonOf(await headNow(), toSlot(slot), acceptGaps)?.code ?? null,
  };
}

describe('revertBlocks', () => {
  it('restores the state before the blocks, also if some of them did not change the tree', async () => {
    const { model, follow, revert, headNow } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    const before = await headNow();
    await follow([
      [102, model.insert(testAddress(1))],
      [105, model.insert(testAddress(2), testAddress(3))],
    ]);
    const after = await revert([106, 105, 104, 103, 102, 101]);
    expect(after).toEqual({ ...before, untrusted: { from: 101, to: 106 } });
    expect(await revert([100])).toMatchObject({ seq: 3n, nextIndex: 2, changes: { count: 0 } });
  });

  it('computes a root in the middle of a series, which was not hashed before', async () => {
    const { model, store, follow, revert } = await setUp();
    const changes = range(0, 9).map((at) => ({ change: model.insert(testAddress(at)), root: model.root }));
    await follow(changes.map(({ change }, at) => [100 + at, change]));
    const known = (await (await store.openTree(model.info.tree)).readUndo()).map(({ before }) => before.root !== null);
    expect(known).toEqual([true, ...Array(9).fill(false)]);
    for (const at of [9, 8, 7, 3]) {
      const { root } = await revert(at === 3 ? [106, 105, 104, 103] : [100 + at]);
      expect(root).toEqual(changes[at - 1].root);
    }
  });

  it('queues the addresses of a reverted batch again, and removes addresses that were queued later', async () => {
    const { model, store, follow, revert } = await setUp('addressV2');
    await follow([[100, ...model.enqueue(...range(0, 5).map(testAddress))]]);
    await follow([[101, ...model.enqueue(testAddress(6)), model.batch(4)]]);
    await follow([[102, ...model.enqueue(testAddress(7)), model.batch(4)]]);
    await revert([102, 101]);
    const queue = await (await store.openTree(model.info.tree)).readQueue(0n, 99n);
    expect([...queue]).toEqual(range(0, 5).map((at) => [BigInt(at), testAddress(at)]));
    expect((await (await store.openTree(model.info.tree)).findLowElements([WRONG]))[0]?.index).toBe(0);
  });

  it.each([
    ['that was never applied', [103], 'other'],
    ['at the slot of another applied block', [102], 'other'],
    ['that did not change the tree', [101], 'main'],
  ])('changes nothing for a block %s', async (_, slots, branch) => {
    const { model, store, follow, revert, headNow } = await setUp();
    await follow([
      [100, model.insert(testAddress(0))],
      [102, model.insert(testAddress(1))],
    ]);
    const before = await headNow();
    expect(await revert(slots, branch)).toEqual({ ...before, untrusted: expect.anything() as unknown });
    expect(await (await store.openTree(model.info.tree)).readUndo()).toHaveLength(2);
  });

  it('reverts that a block revealed missing operations', async () => {
    const { model, follow, revert, unservableCodeAt } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    model.insert(testAddress(1));
    await follow([[102, model.insert(testAddress(2))]]);
    expect(await unservableCodeAt(102)).toBe('operations-missing');
    await revert([102]);
    expect(await unservableCodeAt(101)).toBeNull();
  });

  it('ignores an unknown tree', async () => {
    const store = await InMemoryTreeStore.open(sha256, null);
    const blocks = [{ slot: toSlot(1), blockhash: blockhashAt(1) }];
    expect(
      await revertBlocks(blocks, await store.openTree(testAddressTree('addressV1').tree), treeHasherOf(sha256), false),
    ).toBeNull();
  });

  it('reverts a tree with gaps as far as possible', async () => {
    const { model, follow, revert, headNow } = await setUp('addressV1', true);
    model.insert(...range(0, 4).map(testAddress));
    await follow([[100, model.insert(testAddress(5))]]);
    const { seq, nextIndex, seen, changes } = await headNow();
    const fork = model.fork();
    await follow([[101, model.insert(testAddress(6))]]);
    expect(await revert([101])).toMatchObject({ seq, nextIndex, seen, changes, quarantineReason: null });
    await follow([[102, fork.insert(testAddress(7))]], { branch: 'other' });
    expect(await headNow()).toMatchObject({ seq: fork.seq, nextIndex: fork.nextIndex, quarantineReason: null });
  });
});

describe('a quarantined tree', () => {
  it('is released when the contradicting block is reverted', async () => {
    const { model, follow, revert, unservableCodeAt, headNow } = await setUp('addressV2');
    const fork = model.fork();
    await follow([[100, ...model.enqueue(testAddress(0), testAddress(1))]]);
    fork.enqueue(testAddress(0), testAddress(1));
    await follow([
      [101, model.batch(1)],
      [102, { ...model.batch(1), newRoot: WRONG }],
      [103, ...model.enqueue(testAddress(2))],
    ]);
    expect(await unservableCodeAt(103)).toBe('quarantined');
    await revert([103, 102, 101]);
    expect(await unservableCodeAt(100)).toBeNull();
    await follow([[101, fork.batch(2)]], { branch: 'other' });
    expect(await headNow()).toMatchObject({ root: fork.root, seq: 1n, quarantineReason: null });
  });

  it('stays quarantined while the contradicting block is not reverted', async () => {
    const { model, follow, revert, unservableCodeAt } = await setUp('addressV2');
    await follow([[100, ...model.enqueue(testAddress(0)), { ...model.batch(1), newRoot: WRONG }]]);
    await follow([[101, ...model.enqueue(testAddress(1))]]);
    await revert([101]);
    expect(await unservableCodeAt(101)).toBe('quarantined');
  });
});

describe('a tree that cannot be reverted', () => {
  const slots = range(1, UNDO_DEPTH + 6);

  it('is quarantined if undo records are missing, also after later reverts', async () => {
    const { model, follow, revert, headNow, unservableCodeAt } = await setUp();
    for (const slot of slots) await follow([[slot, model.insert(testAddress(slot))]]);
    const newestFirst = [...slots].reverse();
    const head = await revert(newestFirst.slice(0, UNDO_DEPTH));
    expect(head).toMatchObject({ quarantineReason: null, seq: 3n + 2n * 6n });
    expect((await revert([6])).quarantineReason).toBe('the undo records of the tree do not reach back to slot 6');
    await follow([[7, model.insert(testAddress(100))]], { branch: 'other' });
    await revert([7], 'other');
    await revert([5]);
    expect(await unservableCodeAt(5)).toBe('quarantined');
    expect((await headNow()).quarantineReason).toContain('slot 6');
  });

  it('is quarantined unchanged if one revert has too many blocks', async () => {
    const { model, follow, revert } = await setUp();
    for (const slot of slots) await follow([[slot, model.insert(testAddress(slot))]]);
    const head = await revert([...slots].reverse());
    expect(head).toMatchObject({
      quarantineReason: expect.stringContaining('do not reach back') as string,
      root: model.root,
    });
  });

  it('is quarantined if its nodes do not hash up to the earlier root', async () => {
    const { model, store, follow, revert } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    await follow([[101, model.insert(testAddress(1))]]);
    const [page] = (await (await store.openTree(model.info.tree)).readPages([0])).values();
    page[0] ^= 1;
    page[64] ^= 1;
    page[128] ^= 1;
    const { head } = await store.openTree(model.info.tree);
    if (!head) throw new Error('the tree is not stored');
    const unchanged = {
      removed: [],
      elements: [],
      queue: NO_QUEUE_CHANGES,
      inputQueue: NO_QUEUE_CHANGES,
      undo: [],
    };
    await commitTo(store, [{ head, pages: new Map([[0, page]]), ...unchanged }]);
    expect((await revert([101])).quarantineReason).toBe('the root before slot 101 cannot be restored');
  });

  it('is quarantined if an operation of an older slot was applied after the orphaned block', async () => {
    const { model, follow, revert } = await setUp();
    const [earlier, later] = [model.insert(testAddress(0)), model.insert(testAddress(1))];
    await follow([[101, later]]);
    await follow([[100, earlier]]);
    expect((await revert([101])).quarantineReason).toContain('were applied after it');
  });
});

describe('a reading of the tree account', () => {
  const seqOf = (inserts: number) => 3n + 2n * BigInt(inserts);

  it('at an orphaned slot neither quarantines the tree nor refuses proofs, also when it is repeated', async () => {
    const { model, follow, revert, unservableCodeAt } = await setUp();
    const fork = model.fork();
    const observed = { slot: toSlot(102), seq: seqOf(2), root: WRONG };
    await follow([[100, model.insert(testAddress(0))]], { observed });
    fork.insert(testAddress(0));
    expect(await unservableCodeAt(102)).toBe('operations-missing');
    await revert([101]);
    expect(await unservableCodeAt(103)).toBeNull();
    await follow([[103, fork.insert(testAddress(5))]], { branch: 'other', observed });
    expect(await unservableCodeAt(104)).toBeNull();
  });

  it('from before the fork is still trusted', async () => {
    const { model, follow, revert, unservableCodeAt } = await setUp();
    const observed = { slot: toSlot(99), seq: seqOf(2), root: WRONG };
    await follow([[100, model.insert(testAddress(0))]], { observed });
    await revert([101]);
    expect(await unservableCodeAt(101)).toBe('operations-missing');
    await follow([[101, model.insert(testAddress(1))]], { branch: 'other', observed });
    expect(await unservableCodeAt(101)).toBe('quarantined');
  });

  it.each([
    ['from before the fork quarantines the tree until it is rebuilt', 100, 'quarantined'],
    ['at an orphaned slot quarantines it until that slot is reverted', 101, null],
  ])('%s', async (_, slot, expected) => {
    const { model, follow, revert, unservableCodeAt } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    await follow([[101]], { observed: { slot: toSlot(slot), seq: model.seq, root: WRONG } });
    expect(await unservableCodeAt(101)).toBe('quarantined');
    await revert([101]);
    expect(await unservableCodeAt(101)).toBe(expected);
  });

  it('from after the orphaned slots is trusted', async () => {
    const { model, follow, revert, unservableCodeAt } = await setUp();
    await follow([[100, model.insert(testAddress(0))]], { observed: { slot: toSlot(105), seq: seqOf(9), root: null } });
    await revert([101, 100]);
    const fork = new AddressTreeModel(model.info, sha256);
    const observed = { slot: toSlot(106), seq: seqOf(2), root: WRONG };
    await follow([[102, fork.insert(testAddress(3))]], { branch: 'other', observed });
    expect([await unservableCodeAt(105), await unservableCodeAt(106)]).toEqual([null, 'operations-missing']);
    await follow([[107, fork.insert(testAddress(4))]], { branch: 'other', observed });
    expect(await unservableCodeAt(107)).toBe('quarantined');
  });

  it('at an orphaned slot refuses proofs of a tree without any operation', async () => {
    const { model, follow, revert, unservableCodeAt } = await setUp();
    const observed = { slot: toSlot(101), seq: seqOf(3), root: WRONG };
    await follow([[100]], { observed });
    await revert([101]);
    expect(await unservableCodeAt(101)).toBe('history-not-indexed');
    await follow([[102, model.insert(testAddress(0))]], { branch: 'other', observed });
    expect(await unservableCodeAt(102)).toBeNull();
  });
});
