import { emptiedTree, InMemoryTreeStore, NO_QUEUE_CHANGES } from '@fresnel/adapters/tree-store';
import { toSlot } from '@fresnel/domain/primitives';
import { countMigratedLeaves, type TreeUpdate } from '@fresnel/domain/state';
import { createTree, hasMissingOperations, type TreeChange, unservableReasonOf } from '@fresnel/domain/trees';
import { commitTo, sha256, StateTreeModel, treeHasherOf } from '@fresnel/testing/trees';
import { revertBlocks } from './revert-blocks';
import { TreeWriter } from './tree.writer';

const HASHER = treeHasherOf(sha256);
const TIP = toSlot(1_000);

async function setUp() {
  const model = new StateTreeModel(sha256);
  const { tree } = model.info;
  let store = await InMemoryTreeStore.open(sha256, null);
  const readHead = async () => {
    const { head } = await store.openTree(tree);
    if (!head) throw new Error('the tree is not stored');
    return head;
  };
  return {
    model,
    readHead,
    follow: async (...updates: TreeUpdate[]) => {
      const commit = await TreeWriter.apply(updates, await store.openTree(tree), HASHER, false);
      await commitTo(store, [commit], { slot: TIP });
    },
    revert: async (...slots: number[]) => {
      const blocks = slots.map((slot) => model.updateAt(slot));
      const commit = await revertBlocks(blocks, await store.openTree(tree), HASHER, false);
      if (commit) await commitTo(store, [commit], { slot: TIP });
    },
    /** Replaces the tree by an empty one, as a rebuild does. */
    empty: async () => {
      const { head } = emptiedTree(await readHead(), HASHER);
      const pages = createTree(head.info, sha256).pages.changedPages();
      const queues = { queue: NO_QUEUE_CHANGES, inputQueue: NO_QUEUE_CHANGES };
      store = await InMemoryTreeStore.open(sha256, null);
      const commit = { head, pages, ...queues, removed: [], elements: [], undo: [] };
      await commitTo(store, [commit], { slot: TIP });
    },
    unservableCode: async () => unservableReasonOf(await readHead(), TIP, false)?.code ?? null,
    expectSame: async () => {
      const { root, seq, appended, outputs } = model;
      const head = await readHead();
      expect(head).toMatchObject({ quarantineReason: null, seq, nextIndex: appended, root });
      expect(head.queueEnd).toBe(BigInt(outputs.length));
      expect(hasMissingOperations(head)).toBe(false);
      const queued = outputs.map((hash, position) => [BigInt(position), hash] as const).slice(appended);
      expect(await (await store.openTree(tree)).readQueue(BigInt(appended), 1_000n)).toEqual(new Map(queued));
    },
  };
}

type Blocks = Record<number, TreeChange[]>;

/** One update for each block. */
const updatesOf = (model: StateTreeModel, blocks: Blocks) =>
  Object.entries(blocks).map(([slot, changes]) => model.updateAt(Number(slot), ...changes));

/** Updates as they are published again: one after another, and with what that tells of leaf indices. */
const again = (updates: readonly TreeUpdate[]) =>
  countMigratedLeaves(
    updates.map((update) => ({ update, isWhole: true })),
    null,
  ).updates;

/** Blocks with migrated leaves before, between and after numbered ones, and batches of both. */
const mixedBlocks = (model: StateTreeModel): Blocks => ({
  10: [...model.queue(2), ...model.migrate(1), ...model.queue(1)],
  11: model.migrate(3),
  12: [...model.migrate(1), ...model.queue(2), model.append(6)],
  13: [...model.queue(1), ...model.migrate(1), ...model.consume(2), model.append(3)],
  14: [...model.migrate(2), ...model.queue(1)],
  15: [...model.migrate(1), model.nullify(1), model.append(4)],
});

/** Migrated leaves in blocks after one, the second, that is to be missing. */
const laterBlocks = (model: StateTreeModel): Blocks => ({
  10: [...model.queue(2), ...model.migrate(1), model.append(2)],
  11: model.queue(2),
  12: [...model.queue(1), ...model.migrate(1)],
  13: model.migrate(2),
  14: [...model.queue(1), model.append(5)],
  15: model.migrate(1),
});

describe('migrated leaves', () => {
  it('take the next positions of the output queue', async () => {
    const { model, follow, expectSame, unservableCode } = await setUp();
    for (const [slot, changes] of Object.entries(mixedBlocks(model))) {
      await follow(model.updateAt(Number(slot), ...changes));
    }
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });

  it('may be the first operations of a tree', async () => {
    const { model, follow, expectSame, unservableCode } = await setUp();
    await follow(model.updateAt(10, ...model.migrate(2)));
    await expectSame();
    expect(await unservableCode()).toBeNull();
    await follow(model.updateAt(11, ...model.migrate(2), model.append(4)));
    await expectSame();
  });

  it('enter the queue once, however often and in what series their blocks are delivered', async () => {
    const { model, follow, expectSame } = await setUp();
    const updates = updatesOf(model, mixedBlocks(model));
    for (const [at, update] of updates.entries()) {
      await follow(update, update);
      await follow(...updates.slice(0, at + 1));
      await follow(update);
    }
    await expectSame();
    await follow(...updates, ...updates);
    await expectSame();
  });

  it('leave the queue with their block', async () => {
    const { model, follow, revert, readHead, expectSame } = await setUp();
    const updates = updatesOf(model, mixedBlocks(model));
    const heads = [];
    for (const update of updates) {
      await follow(update);
      heads.push(await readHead());
    }
    for (const depth of [1, 2, 4]) {
      await revert(...[15, 14, 13, 12].slice(0, depth));
      const { changes, seen, migratedSlot, queueEnd, root } = heads[updates.length - 1 - depth];
      expect(await readHead()).toMatchObject({ changes, seen, migratedSlot, queueEnd, root });
      await follow(...updates.slice(-depth));
      await expectSame();
    }
  });

  it('stop the tree if the leaf index of a later account differs from their count', async () => {
    const { model, follow, readHead, unservableCode } = await setUp();
    await follow(model.updateAt(10, ...model.queue(1)));
    model.migrate(1); // missing
    await follow(model.updateAt(12, ...model.queue(1)));
    expect(await readHead()).toMatchObject({ queueEnd: 1n, seen: { queueEnd: 3n }, quarantineReason: null });
    expect(await unservableCode()).toBe('operations-missing');
  });

  it('quarantine the tree if the root of a batch shows that another one is missing', async () => {
    const { model, follow, unservableCode } = await setUp();
    model.migrate(1); // missing
    await follow(model.updateAt(10, ...model.migrate(2)));
    await follow(model.updateAt(11, model.append(2)));
    expect(await unservableCode()).toBe('quarantined');
  });

  it('after missing operations wait until these are published again', async () => {
    const { model, follow, readHead, unservableCode, expectSame } = await setUp();
    const updates = updatesOf(model, laterBlocks(model));
    await follow(...updates.toSpliced(1, 1));
    expect(await readHead()).toMatchObject({ queueEnd: 3n, migratedSlot: 10, seen: { migratedSlot: 15 } });
    expect(await unservableCode()).toBe('operations-missing');
    for (const update of again(updates)) await follow(update);
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });

  it('wait if they are published again from after the missing operations on', async () => {
    const { model, follow, readHead, unservableCode, expectSame } = await setUp();
    const updates = updatesOf(model, laterBlocks(model));
    await follow(...updates.toSpliced(1, 1));
    for (let from = updates.length - 1; from > 1; from--) {
      for (const update of again(updates.slice(from))) await follow(update);
      expect(await readHead()).toMatchObject({ queueEnd: 3n, migratedSlot: 10 });
    }
    expect(await unservableCode()).toBe('operations-missing');
    for (const update of again(updates.slice(1))) await follow(update);
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });

  it('wait for those of older blocks', async () => {
    const { model, follow, unservableCode, expectSame } = await setUp();
    const updates = updatesOf(model, {
      10: [...model.queue(1), model.append(1)],
      11: model.queue(1), // missing
      12: model.queue(1),
      13: model.migrate(1),
      14: model.migrate(1),
    });
    await follow(updates[0], updates[2], updates[3]);
    const republished = again(updates.slice(1));
    await follow(...republished.slice(0, 2));
    await follow(updates[4]); // a new block, before block 13 is published again
    expect(await unservableCode()).toBe('operations-missing');
    await follow(...republished.slice(2));
    await expectSame();
  });

  it('that were counted before missing operations have the right place only after a rebuild from empty', async () => {
    const { model, follow, empty, unservableCode, expectSame } = await setUp();
    const updates = updatesOf(model, {
      10: model.queue(1),
      11: model.queue(1), // missing
      12: model.migrate(1),
      13: model.queue(1),
    });
    await follow(...updates.toSpliced(1, 1));
    await follow(...updates);
    expect(await unservableCode()).not.toBeNull();
    await empty();
    await follow(...again(updates));
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });

  it('are counted again when a quarantined tree is rebuilt from empty', async () => {
    const { model, follow, empty, unservableCode, expectSame } = await setUp();
    const updates = updatesOf(model, {
      10: model.queue(2),
      11: model.migrate(2), // missing
      12: [...model.migrate(1), model.append(3)],
      13: model.migrate(1),
      14: model.migrate(1),
    });
    await follow(...updates.toSpliced(1, 1).slice(0, 3));
    expect(await unservableCode()).toBe('quarantined');
    await empty();
    expect(await unservableCode()).toBe('history-not-indexed');
    await follow(updates[4]); // a new block, before the others are published again
    for (const update of again(updates)) await follow(update);
    await expectSame();
    expect(await unservableCode()).toBeNull();
  });

  it('of an orphaned block that a quarantined tree ignored are not missing after a rebuild', async () => {
    const { model, follow, revert, empty, readHead } = await setUp();
    await follow(model.updateAt(10, ...model.queue(1)));
    await follow(model.updateAt(11, { ...model.append(1), newRoot: model.outputs[0] }));
    await follow(model.updateAt(12, ...model.migrate(1)));
    expect(await readHead()).toMatchObject({ quarantineReason: expect.any(String), seen: { migratedSlot: 12 } });
    await revert(12);
    await empty();
    expect((await readHead()).seen.migratedSlot).toBe(0);
  });

  it('do not show that the history of a tree is indexed from its start', async () => {
    const { model, follow, readHead } = await setUp();
    model.queue(5);
    model.append(5);
    const { info } = model;
    const observed = { ...info.observed, slot: toSlot(900), seq: 1n, nextIndex: 5n };
    await follow({ ...model.updateAt(10, ...model.migrate(1)), tree: { ...info, observed } });
    const codeAt = async (slot: number) => unservableReasonOf(await readHead(), toSlot(slot), false)?.code;
    expect(await codeAt(11)).toBe('history-not-indexed');
    await follow({ ...model.updateAt(12, ...model.queue(1)), tree: { ...info, observed } });
    expect(await codeAt(12)).toBe('history-not-indexed');
  });
});
