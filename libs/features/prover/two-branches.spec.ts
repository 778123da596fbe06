import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';

const NEW = [testAddress(50), testAddress(51)];

// The records of two ingests whose nodes are on different branches, as they are in one partition of tree-updates.
describe('the records of two branches', () => {
  let model: AddressTreeModel;
  let store: InMemoryTreeStore;
  let prover: TestProver;
  let records: TreeRecords;
  beforeEach(async () => {
    model = new AddressTreeModel(testAddressTree('addressV1'), sha256);
    store = await InMemoryTreeStore.open(sha256, null);
    records = new TreeRecords();
    prover = new TestProver(store, sha256);
  });
  afterEach(() => prover.end());

  /** All tree records that ingest publishes for a block. Without changes: the watermark alone. */
  function block(
    slot: number,
    branch: string,
    changes: AddressTreeChange[],
    { parent = slot - 1, from = branch }: { parent?: number; from?: string } = {},
  ): TreeUpdatesMessage[] {
    const links = { parentSlot: toSlot(parent), parentBlockhash: blockhashAt(parent, from) };
    const updates = changes.length > 0 ? [model.updateAt(slot, ...changes)] : [];
    return records.of({ ...blockLinkAt(slot, branch), ...links }, updates);
  }
  const reverted = (slot: number): TreeUpdatesMessage => ({
    kind: 'slot-reverted',
    slot: toSlot(slot),
    blockhash: blockhashAt(slot, 'orphaned'),
  });
  const ask = async (minSlot: number, asked = NEW) => {
    try {
      const { slot, root, rootSeq } = await prover.service.proveNewAddresses(model.info.tree, asked, toSlot(minSlot));
      return { slot, rootSeq, root: root.toString('hex').slice(0, 8) };
    } catch (error) {
      return String(error);
    }
  };
  const rootOf = (tree: AddressTreeModel) => tree.root.toString('hex').slice(0, 8);

  it('A: no proof of the orphaned branch is served at a slot of the chain', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const other = model.fork();
    // 10 -- 11 (an ingest on another branch), 10 -- 12 -- 13 … (the chain; 11 is skipped)
    await prover.apply(block(11, 'orphaned', [other.insert(testAddress(1))], { from: 'main' }));
    const published: TreeUpdatesMessage[][] = [];
    published[12] = block(12, 'main', [model.insert(testAddress(2))], { parent: 10 });
    for (const slot of range(13, 200)) published[slot] = block(slot, 'main', []);
    for (const slot of range(12, 200)) await prover.apply(published[slot]);
    const answer = await ask(200);
    if (typeof answer === 'object') expect(answer.root).toBe(rootOf(model));
    // The ingest that reverts publishes the blocks above the fork point again.
    await prover.apply([reverted(11)]);
    for (const slot of range(12, 200)) await prover.apply(published[slot]);
    expect(await ask(200)).toMatchObject({ slot: 200, root: rootOf(model) });
  });

  it('B: a block that an ingest publishes late, after 64 others, is not applied if it is not on the chain', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const other = model.fork();
    // The chain: 10 -- 12 -- 13 … 100. Block 11 of another branch arrives at last.
    await prover.apply(block(12, 'main', [], { parent: 10 }));
    for (const slot of range(13, 100)) await prover.apply(block(slot, 'main', []));
    await prover.apply(block(11, 'orphaned', [other.insert(testAddress(1))], { from: 'main' }));
    const late = await ask(100);
    if (typeof late === 'object') expect(late.root).not.toBe(rootOf(other));
    await prover.apply([reverted(11)]);
    expect(await ask(100)).toMatchObject({ slot: 100, root: rootOf(model) });
    for (const slot of [101, 102]) {
      await prover.apply(block(slot, 'main', [model.insert(testAddress(slot))]));
      expect(await ask(slot)).toMatchObject({ slot, root: rootOf(model) });
    }
  });
});
