import { randomUUID } from 'node:crypto';
import { toSlot } from '@fresnel/domain/primitives';
import { stateOf, type TreeHead, type UndoRecord } from '@fresnel/domain/trees';
import { blockhashAt } from '@fresnel/testing/chain';
import { commitOf, filledTree, testAddress, V1, V2 } from '@fresnel/testing/trees';
import { type JournalEntry } from './journal-entry';
import { encodeElement, encodePages } from './tree-records';
import { NEW_PARTITION, type TreeJournal } from './tree-journal';
import { type TreeEntry } from './tree-store';
import { encodeUndo } from './undo.codec';

/** An empty journal of one log. */
export interface TreeJournalUnderTest {
  journal: TreeJournal;
  close(): Promise<void>;
}

/** An entry on top of the last one of partition 0. */
function entryAfter(before: JournalEntry | null, trees: readonly TreeEntry[]): JournalEntry {
  const from = before?.to ?? 0n;
  const block = { slot: toSlot(Number(from) + 1), blockhash: blockhashAt(Number(from) + 1) };
  const state = {
    block,
    blocks: [{ ...block, parentSlot: null, state: 'admitted' as const, changesTrees: true }],
    hasRefused: from % 2n === 1n,
  };
  return { id: randomUUID(), partition: 0, on: before?.id ?? null, from, to: from + 1n, trees, ...state };
}

const changed = (head: TreeHead, count: number): TreeHead => ({
  ...head,
  changes: { count, lastSlot: toSlot(count) },
});

/** The undo records of consecutive changes. */
const undoOf = (head: TreeHead, numbers: readonly number[]): UndoRecord[] =>
  numbers.map((number) => ({
    ...{ slot: toSlot(number), blockhash: blockhashAt(number), before: stateOf(changed(head, number), true) },
    ...{ rewritten: [], appended: [], leaves: [], nullified: [] },
  }));

/** A tree whose head has `count` changes. */
function treeAfter(count: number, undone: readonly number[], on: string | null, size = 20): TreeEntry {
  const { head, ...rest } = commitOf(filledTree(V1, size));
  return { ...rest, head: changed(head, count), undo: undoOf(head, undone), on };
}

/** The contract suite of `TreeJournal`. */
export function describeTreeJournalContract(name: string, open: () => Promise<TreeJournalUnderTest>): void {
  describe(`${name}: the contract of a tree journal`, () => {
    let opened: TreeJournalUnderTest;
    beforeEach(async () => {
      opened = await open();
      await opened.journal.open();
    });
    afterEach(() => opened.close());

    /** Everything of a tree. */
    const readAll = () =>
      opened.journal.readTree(V1.tree, async (found) => {
        if (!found) return null;
        const { head, entry, block, reads } = found;
        const [elements, pages]: Buffer[][] = [[], []];
        for await (const chunk of reads.elementChunks(V1.tree)) elements.push(chunk);
        for await (const chunk of reads.pageChunks(head.info)) pages.push(chunk);
        return { head, entry, block, elements: Buffer.concat(elements), pages: sorted(Buffer.concat(pages)) };
      });

    it('is empty at first', async () => {
      expect(await opened.journal.readPartition(0, 1)).toEqual(NEW_PARTITION);
      expect(await opened.journal.readTree(V1.tree, (found) => Promise.resolve(found))).toBeNull();
    });

    it('has the newest entry of each partition, and of each tree with its contents', async () => {
      const first = entryAfter(null, [
        treeAfter(2, [0, 1], null),
        { ...commitOf(filledTree(V2), new Map([[30n, testAddress(1)]])), on: null },
      ]);
      const second = entryAfter(first, [treeAfter(3, [2], first.id, 25)]);
      for (const entry of [first, second]) await opened.journal.persist(entry);
      const { block, blocks, hasRefused } = second;
      const partition = await opened.journal.readPartition(0, 1);
      expect(partition).toMatchObject({ entry: second.id, offset: 2n, block, blocks, hasRefused });
      expect(new Set(partition.trees)).toEqual(
        new Set([
          { tree: V1.tree, entry: second.id },
          { tree: V2.tree, entry: first.id },
        ]),
      );
      const [{ head, elements, pages }] = second.trees;
      expect(await readAll()).toEqual({
        ...{ head, entry: second.id, block },
        elements: Buffer.concat(elements.map(encodeElement)),
        pages: sorted(encodePages(pages)),
      });
    });

    it('names the entry at the last of its undo records', async () => {
      const first = entryAfter(null, [treeAfter(3, [0, 1, 2], null)]);
      const second = entryAfter(first, [treeAfter(5, [3, 4], first.id)]);
      // Two changes are reverted, and another one is made.
      const third = entryAfter(second, [treeAfter(3, [2], second.id)]);
      const stored = [];
      for (const entry of [first, second, third]) {
        await opened.journal.persist(entry);
        stored.push(await opened.journal.readTree(V1.tree, async (found) => found?.reads.readUndo(found.head.info)));
      }
      expect(stored.map((records) => records?.map(({ entry }) => entry))).toEqual([
        [null, null, first.id],
        [null, null, first.id, null, second.id],
        [null, null, third.id],
      ]);
      const [{ head }] = first.trees;
      expect(stored[2]?.map(({ record }) => record)).toEqual(undoOf(head, [0, 1, 2]).map(encodeUndo));
    });

    it('refuses an entry that names anything but the newest, or another position, and stores nothing of it', async () => {
      const first = entryAfter(null, [treeAfter(1, [0], null)]);
      const second = entryAfter(first, [treeAfter(2, [1], first.id, 22)]);
      for (const entry of [first, second]) await opened.journal.persist(entry);
      const before = [await opened.journal.readPartition(0, 1), await readAll()];
      const next = entryAfter(second, [treeAfter(3, [2], second.id, 30)]);
      const v2 = { ...commitOf(filledTree(V2)), on: null };
      const wrong: Partial<JournalEntry>[] = [
        { on: first.id },
        { on: null },
        { from: 1n },
        { from: 3n },
        { trees: [v2, treeAfter(3, [2], first.id, 30)] },
        { trees: [v2, treeAfter(3, [2], null, 30)] },
        { trees: [...next.trees, { ...v2, on: second.id }] },
      ];
      for (const change of wrong) {
        await expect(opened.journal.persist({ ...next, ...change })).rejects.toMatchObject({ code: 'fenced' });
        expect([await opened.journal.readPartition(0, 1), await readAll()]).toEqual(before);
      }
      await opened.journal.persist(next);
      await expect(opened.journal.persist(next)).rejects.toMatchObject({ code: 'fenced' });
    });

    it('accepts the first entry of a partition at offset 0 only', async () => {
      await expect(opened.journal.persist({ ...entryAfter(null, []), from: 7n, to: 8n })).rejects.toMatchObject({
        code: 'fenced',
      });
      await opened.journal.persist(entryAfter(null, []));
    });

    it('reads a tree as of one entry, also while others are stored', async () => {
      const first = entryAfter(null, [treeAfter(1, [0], null)]);
      await opened.journal.persist(first);
      const before = await readAll();
      const found = await opened.journal.readTree(V1.tree, async (tree) => {
        await opened.journal.persist(entryAfter(first, [treeAfter(2, [1], first.id, 30)]));
        const elements: Buffer[] = [];
        if (tree) for await (const chunk of tree.reads.elementChunks(V1.tree)) elements.push(chunk);
        return { entry: tree?.entry, elements: Buffer.concat(elements) };
      });
      expect(found).toEqual({ entry: before?.entry, elements: before?.elements });
    });
  });
}

/** Encoded pages by their ids. */
function sorted(pages: Buffer): Buffer[] {
  const bytes = encodePages(new Map([[0, Buffer.alloc(960)]])).length;
  const records = Array.from({ length: pages.length / bytes }, (_, at) => pages.subarray(at * bytes, (at + 1) * bytes));
  return records.map((record) => Buffer.from(record)).sort((one, other) => one.compare(other));
}
