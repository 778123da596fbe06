import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import {
  type AddressTreeChange,
  type AddressTreeType,
  refusalOf,
  type TreeObservation,
  UNDO_DEPTH,
} from '@fresnel/domain/trees';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { revertBlocks } from './address-tree.revert';
import { AddressTreeWriter } from './address-tree.writer';

const WRONG = Buffer.alloc(32, 9) as Hash;
const UNTOLD = 'untold';

/** A tree of which one slot after the other is told, and taken back. */
async function setUp(type: AddressTreeType = 'addressV1', acceptGaps = false) {
  const { info } = new AddressTreeModel(testAddressTree(type), sha256);
  const store = await InMemoryTreeStore.open(sha256, null);
  const headNow = async () => {
    const head = await store.findHead(info.tree);
    if (!head) throw new Error('the tree is not there');
    return head;
  };
  return {
    store,
    model: new AddressTreeModel(info, sha256),
    headNow,
    /** Tells slots together: each with its changes, on a branch. */
    follow: async (
      slots: [slot: number, ...AddressTreeChange[]][],
      { branch = 'main', observed = {} }: { branch?: string; observed?: Partial<TreeObservation> } = {},
    ) => {
      const tree = testAddressTree(type, observed);
      const updates = slots.map(([slot, ...changes]) => ({
        slot: toSlot(slot),
        ...(branch === UNTOLD ? {} : { blockhash: blockhashAt(slot, branch) }),
        tree,
        changes,
      }));
      const commit = await AddressTreeWriter.apply(updates, store, sha256, acceptGaps);
      await store.commit({ trees: [commit], slot: null, position: null });
    },
    /** Newest first. */
    takeBack: async (slots: number[], branch = 'main') => {
      const blocks = slots.map((slot) => ({ slot: toSlot(slot), blockhash: blockhashAt(slot, branch) }));
      const commit = await revertBlocks(info.tree, blocks, store, sha256, acceptGaps);
      await store.commit({ trees: commit ? [commit] : [], slot: null, position: null });
      return headNow();
    },
    refusalAt: async (slot: number) => refusalOf(await headNow(), toSlot(slot), acceptGaps)?.code ?? null,
  };
}

describe('taking blocks back', () => {
  it('ends before them, whichever of them changed the tree', async () => {
    const { model, follow, takeBack, headNow } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    const before = await headNow();
    await follow([
      [102, model.insert(testAddress(1))],
      [105, model.insert(testAddress(2), testAddress(3))],
    ]);
    const after = await takeBack([106, 105, 104, 103, 102, 101]);
    expect(after).toEqual({ ...before, doubted: { from: 101, to: 106 } });
    expect(await takeBack([100])).toMatchObject({ seq: 3n, nextIndex: 2, changed: { times: 0 } });
  });

  it('makes the root again where it was not known, in the middle of a series', async () => {
    const { model, store, follow, takeBack } = await setUp();
    const changes = range(0, 9).map((at) => ({ change: model.insert(testAddress(at)), root: model.root }));
    await follow(changes.map(({ change }, at) => [100 + at, change]));
    const known = (await store.readUndo(model.info.tree)).map(({ before }) => before.root !== null);
    expect(known).toEqual([true, ...Array(9).fill(false)]);
    for (const at of [9, 8, 7, 3]) {
      const { root } = await takeBack(at === 3 ? [106, 105, 104, 103] : [100 + at]);
      expect(root).toEqual(changes[at - 1].root);
    }
  });

  it('puts addresses back into the queue that a batch had taken out, and forgets those that came later', async () => {
    const { model, store, follow, takeBack } = await setUp('addressV2');
    await follow([[100, ...model.enqueue(...range(0, 5).map(testAddress))]]);
    await follow([[101, ...model.enqueue(testAddress(6)), model.batch(4)]]);
    await follow([[102, ...model.enqueue(testAddress(7)), model.batch(4)]]);
    await takeBack([102, 101]);
    const queue = await store.readQueue(model.info.tree, 0n, 99n);
    expect([...queue]).toEqual(range(0, 5).map((at) => [BigInt(at), testAddress(at)]));
    expect((await store.findLowElements(model.info.tree, [WRONG]))[0]?.index).toBe(0);
  });

  it.each([
    ['that never was here', [103], 'other'],
    ['whose slot has another block here', [102], 'other'],
    ['that did not touch the tree', [101], 'main'],
  ])('changes nothing for a block %s', async (_, slots, branch) => {
    const { model, store, follow, takeBack, headNow } = await setUp();
    await follow([
      [100, model.insert(testAddress(0))],
      [102, model.insert(testAddress(1))],
    ]);
    const before = await headNow();
    expect(await takeBack(slots, branch)).toEqual({ ...before, doubted: expect.anything() as unknown });
    expect(await store.readUndo(model.info.tree)).toHaveLength(2);
  });

  it('takes a block back that did not tell its name', async () => {
    const { model, follow, takeBack, headNow } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    const { seq } = await headNow();
    await follow([[101, model.insert(testAddress(1))]], { branch: UNTOLD });
    expect(await takeBack([101])).toMatchObject({ seq });
  });

  it('takes back what was heard of operations that are missing', async () => {
    const { model, follow, takeBack, refusalAt } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    model.insert(testAddress(1));
    await follow([[102, model.insert(testAddress(2))]]);
    expect(await refusalAt(102)).toBe('operations-missing');
    await takeBack([102]);
    expect(await refusalAt(101)).toBeNull();
  });

  it('leaves a tree alone that is not there', async () => {
    const store = await InMemoryTreeStore.open(sha256, null);
    const blocks = [{ slot: toSlot(1), blockhash: blockhashAt(1) }];
    expect(await revertBlocks(testAddressTree('addressV1').tree, blocks, store, sha256, false)).toBeNull();
  });

  it('takes back what it can of a recording that begins inside a tree’s life', async () => {
    const { model, follow, takeBack, headNow } = await setUp('addressV1', true);
    model.insert(...range(0, 4).map(testAddress));
    await follow([[100, model.insert(testAddress(5))]]);
    const { seq, nextIndex, seen, changed } = await headNow();
    const fork = model.fork();
    await follow([[101, model.insert(testAddress(6))]]);
    expect(await takeBack([101])).toMatchObject({ seq, nextIndex, seen, changed, fault: null });
    await follow([[102, fork.insert(testAddress(7))]], { branch: 'other' });
    expect(await headNow()).toMatchObject({ seq: fork.seq, nextIndex: fork.nextIndex, fault: null });
  });
});

describe('a tree that was closed', () => {
  it('by an abandoned block is open again', async () => {
    const { model, follow, takeBack, refusalAt, headNow } = await setUp('addressV2');
    const fork = model.fork();
    await follow([[100, ...model.enqueue(testAddress(0), testAddress(1))]]);
    fork.enqueue(testAddress(0), testAddress(1));
    await follow([
      [101, model.batch(1)],
      [102, { ...model.batch(1), newRoot: WRONG }],
      [103, ...model.enqueue(testAddress(2))],
    ]);
    expect(await refusalAt(103)).toBe('degraded');
    await takeBack([103, 102, 101]);
    expect(await refusalAt(100)).toBeNull();
    await follow([[101, fork.batch(2)]], { branch: 'other' });
    expect(await headNow()).toMatchObject({ root: fork.root, seq: 1n, fault: null });
  });

  it('by a block that stays is closed still', async () => {
    const { model, follow, takeBack, refusalAt } = await setUp('addressV2');
    await follow([[100, ...model.enqueue(testAddress(0)), { ...model.batch(1), newRoot: WRONG }]]);
    await follow([[101, ...model.enqueue(testAddress(1))]]);
    await takeBack([101]);
    expect(await refusalAt(101)).toBe('degraded');
  });
});

describe('a tree that cannot be brought back', () => {
  const slots = range(1, UNDO_DEPTH + 6);

  it('because too much has changed since is closed, and says so, whatever is taken back next', async () => {
    const { model, follow, takeBack, headNow, refusalAt } = await setUp();
    for (const slot of slots) await follow([[slot, model.insert(testAddress(slot))]]);
    const newestFirst = [...slots].reverse();
    const head = await takeBack(newestFirst.slice(0, UNDO_DEPTH));
    expect(head).toMatchObject({ fault: null, seq: 3n + 2n * 6n });
    expect((await takeBack([6])).fault).toBe('slot 6 is further back than changes of the tree can be taken back');
    await follow([[7, model.insert(testAddress(100))]], { branch: 'other' });
    await takeBack([7], 'other');
    await takeBack([5]);
    expect(await refusalAt(5)).toBe('degraded');
    expect((await headNow()).fault).toContain('slot 6');
  });

  it('in one step because it is too many is closed as it was', async () => {
    const { model, follow, takeBack } = await setUp();
    for (const slot of slots) await follow([[slot, model.insert(testAddress(slot))]]);
    const head = await takeBack([...slots].reverse());
    expect(head).toMatchObject({ fault: expect.stringContaining('further back') as string, root: model.root });
  });

  it('because its nodes do not make the root of that time is closed', async () => {
    const { model, store, follow, takeBack } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    await follow([[101, model.insert(testAddress(1))]]);
    const [page] = (await store.readPages(model.info.tree, [0])).values();
    page[0] ^= 1;
    page[64] ^= 1;
    page[128] ^= 1;
    expect((await takeBack([101])).fault).toBe('the root before slot 101 cannot be restored');
  });

  it('because an older operation came late, on top of what goes, is closed', async () => {
    const { model, follow, takeBack } = await setUp();
    const [early, late] = [model.insert(testAddress(0)), model.insert(testAddress(1))];
    await follow([[101, late]]);
    await follow([[100, early]]);
    expect((await takeBack([101])).fault).toContain('came after it');
  });
});

describe('a reading of the tree’s account', () => {
  const seqOf = (inserts: number) => 3n + 2n * BigInt(inserts);

  it('on an abandoned slot closes nothing and refuses nothing, now or when it is told again', async () => {
    const { model, follow, takeBack, refusalAt } = await setUp();
    const fork = model.fork();
    const observed = { slot: toSlot(102), seq: seqOf(2), root: WRONG };
    await follow([[100, model.insert(testAddress(0))]], { observed });
    fork.insert(testAddress(0));
    expect(await refusalAt(102)).toBe('operations-missing');
    await takeBack([101]);
    expect(await refusalAt(103)).toBeNull();
    await follow([[103, fork.insert(testAddress(5))]], { branch: 'other', observed });
    expect(await refusalAt(104)).toBeNull();
  });

  it('from before is believed still', async () => {
    const { model, follow, takeBack, refusalAt } = await setUp();
    const observed = { slot: toSlot(99), seq: seqOf(2), root: WRONG };
    await follow([[100, model.insert(testAddress(0))]], { observed });
    await takeBack([101]);
    expect(await refusalAt(101)).toBe('operations-missing');
    await follow([[101, model.insert(testAddress(1))]], { branch: 'other', observed });
    expect(await refusalAt(101)).toBe('degraded');
  });

  it.each([
    ['from before closes the tree for good', 100, 'degraded'],
    ['on an abandoned slot closes it no longer than that slot', 101, null],
  ])('%s', async (_, slot, expected) => {
    const { model, follow, takeBack, refusalAt } = await setUp();
    await follow([[100, model.insert(testAddress(0))]]);
    await follow([[101]], { observed: { slot: toSlot(slot), seq: model.seq, root: WRONG } });
    expect(await refusalAt(101)).toBe('degraded');
    await takeBack([101]);
    expect(await refusalAt(101)).toBe(expected);
  });

  it('from after all that was abandoned is believed', async () => {
    const { model, follow, takeBack, refusalAt } = await setUp();
    await follow([[100, model.insert(testAddress(0))]], { observed: { slot: toSlot(105), seq: seqOf(9), root: null } });
    await takeBack([101, 100]);
    const fork = new AddressTreeModel(model.info, sha256);
    const observed = { slot: toSlot(106), seq: seqOf(2), root: WRONG };
    await follow([[102, fork.insert(testAddress(3))]], { branch: 'other', observed });
    expect([await refusalAt(105), await refusalAt(106)]).toEqual([null, 'operations-missing']);
    await follow([[107, fork.insert(testAddress(4))]], { branch: 'other', observed });
    expect(await refusalAt(107)).toBe('degraded');
  });

  it('on an abandoned slot refuses a tree of which nothing was ever seen', async () => {
    const { model, follow, takeBack, refusalAt } = await setUp();
    const observed = { slot: toSlot(101), seq: seqOf(3), root: WRONG };
    await follow([[100]], { observed });
    await takeBack([101]);
    expect(await refusalAt(101)).toBe('beginning-unseen');
    await follow([[102, model.insert(testAddress(0))]], { branch: 'other', observed });
    expect(await refusalAt(102)).toBeNull();
  });
});
