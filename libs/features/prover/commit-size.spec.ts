import { InMemoryTreeStore, type JournalEntry } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { blockLinkAt, range } from '@fresnel/testing/chain';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { sha256, testAddress, testAddressTree, treeHasherOf, v1Updates, invalidProofs } from '@fresnel/testing/trees';
import { TreeWriter } from './tree.writer';

const V1 = testAddressTree('addressV1');

function messagesOf(updates: readonly TreeUpdate[]): TreeUpdatesMessage[] {
  const records = new TreeRecords();
  return updates.flatMap((update) => records.of(blockLinkAt(update.slot), [update]));
}

const sizeOf = ({ trees }: JournalEntry) => trees.reduce((sum, { elements }) => sum + elements.length, 0);

describe('a backlog of tree updates', () => {
  it('is committed in parts of at most 2,000 elements, each with its position and valid proofs', async () => {
    const updates = v1Updates([...range(1, 97).map(() => 100), 3, 1_100, 2], sha256);
    const messages = messagesOf(updates);
    const store = await InMemoryTreeStore.open(sha256, null);
    const commits: JournalEntry[] = [];
    const commit = store.commit.bind(store);
    jest.spyOn(store, 'commit').mockImplementation(async (next) => {
      commits.push(next);
      await commit(next);
      const proofs = await store.readProofs(V1.tree, [testAddress(1_000_000)]);
      expect(proofs ? invalidProofs(proofs) : []).toEqual([]);
    });
    const prover = new TestProver(store, sha256);
    await prover.apply(messages);
    await prover.end();

    const large = commits.filter((each) => sizeOf(each) > 2_000);
    // The update with 1,100 addresses is larger than the bound, and committed alone.
    expect(large.map(({ trees }) => trees[0].undo.length)).toEqual([1]);
    expect(commits.length).toBeGreaterThan(10);
    expect(commits.map(({ from }) => from)).toEqual([0n, ...commits.slice(0, -1).map(({ to }) => to)]);
    expect(commits.at(-1)?.to).toBe(BigInt(messages.length));
    const atOnce = await TreeWriter.apply(
      updates,
      await (await InMemoryTreeStore.open(sha256, null)).openTree(V1.tree),
      treeHasherOf(sha256),
      false,
    );
    const { root, seq, nextIndex } = atOnce.head;
    expect((await store.openTree(V1.tree)).head).toMatchObject({ root, seq, nextIndex, quarantineReason: null });
    expect([nextIndex, await store.findSlot()]).toEqual([10_807, toSlot(100)]);
  });
});
