import {
  AddressExistsError,
  BranchUndecidedError,
  TreeBehindError,
  unpackProofs,
} from '@fresnel/adapters/prover-client';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockhashAt, blockLinkAt } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { AddressTreeModel, offsetOf, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';

const NEW = [testAddress(50), testAddress(51)];

describe('ProverService with orphaned blocks', () => {
  let model: AddressTreeModel;
  let store: InMemoryTreeStore;
  let prover: TestProver;
  let log: ReturnType<typeof captureLog>;
  let records: TreeRecords;
  beforeEach(async () => {
    model = new AddressTreeModel(testAddressTree('addressV1'), sha256);
    store = await InMemoryTreeStore.open(sha256, null);
    log = captureLog();
    records = new TreeRecords();
    prover = new TestProver(store, sha256, { logger: log.logger });
  });
  afterEach(() => prover.end());

  /** All tree records that ingest publishes for a block, which follows the one before it. */
  function block(slot: number, branch: string, changes: AddressTreeChange[], of = model): TreeUpdatesMessage[] {
    return records.of(blockLinkAt(slot, branch), [of.updateAt(slot, ...changes)]);
  }
  /** As `block`, of the first block of another branch. */
  function fork(slot: number, branch: string, from: number, ...rest: [AddressTreeChange[], AddressTreeModel]) {
    records.after(blockLinkAt(from));
    return block(slot, branch, ...rest);
  }
  const reverted = (slot: number, branch: string): TreeUpdatesMessage => ({
    kind: 'slot-reverted',
    slot: toSlot(slot),
    blockhash: blockhashAt(slot, branch),
  });
  const ask = (minSlot: number, asked = NEW) =>
    prover.service.proveNewAddresses(model.info.tree, asked, toSlot(minSlot));

  it('proves from the state before the orphaned blocks, and then from the new branch', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const [root, seq, other] = [model.root, model.seq, model.fork()];
    await prover.apply(block(11, 'orphaned', [model.insert(testAddress(1))]));
    await prover.apply(block(13, 'orphaned', [model.insert(testAddress(2))]));
    await expect(ask(13, [testAddress(1)])).rejects.toThrow(AddressExistsError);
    await prover.apply([reverted(13, 'orphaned'), reverted(11, 'orphaned')]);
    expect(await ask(10)).toMatchObject({ slot: 10, root, rootSeq: seq });
    expect(unpackProofs(await ask(10, [testAddress(1)]))).toHaveLength(1);
    await expect(ask(11)).rejects.toThrow(TreeBehindError);
    await prover.apply(fork(12, 'right', 10, [other.insert(testAddress(3))], other));
    expect(await ask(11)).toMatchObject({ slot: 12, root: other.root, rootSeq: other.seq });
  });

  it('reverts the blocks after an orphaned block in all trees, also if only its own revert is published', async () => {
    const second = new AddressTreeModel(testAddressTree('addressV2'), sha256);
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const [root, other] = [model.root, second.fork()];
    await prover.apply(block(11, 'orphaned', [model.insert(testAddress(1))]));
    // Another ingest has published the next block, which changes another tree, and has not found the fork yet.
    await prover.apply(block(12, 'orphaned', second.enqueue(testAddress(2)), second));
    await prover.apply([reverted(11, 'orphaned')]);
    expect(await ask(10)).toMatchObject({ slot: 10, root });
    await prover.apply(fork(13, 'right', 10, [...other.enqueue(testAddress(3)), other.batch(1)], other));
    expect(await prover.service.proveNewAddresses(second.info.tree, NEW, toSlot(13))).toMatchObject({
      root: other.root,
    });
  });

  it('skips records of the orphaned blocks after the revert', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const other = model.fork();
    const orphaned = block(11, 'orphaned', [model.insert(testAddress(1), testAddress(2))]);
    await prover.apply(orphaned);
    await prover.apply([reverted(11, 'orphaned')]);
    await prover.apply([...orphaned, reverted(11, 'orphaned')]);
    expect(await ask(0)).toMatchObject({ slot: 10, rootSeq: 5n });
    await prover.apply(fork(12, 'right', 10, [other.insert(testAddress(3))], other));
    await prover.apply([...orphaned, reverted(11, 'orphaned')]);
    expect(await ask(0)).toMatchObject({ slot: 12, root: other.root, rootSeq: other.seq });
  });

  it('changes nothing for a block that was never applied', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    await prover.apply(block(12, 'main', [model.insert(testAddress(1))]));
    for (const slot of [12, 11, 10, 13]) await prover.apply([reverted(slot, 'strange')]);
    expect(await ask(12)).toMatchObject({ slot: 12, root: model.root });
    await prover.apply(block(13, 'strange', [model.insert(testAddress(2))]));
    expect(await ask(12)).toMatchObject({ slot: 12, rootSeq: 7n });
  });

  it('skips records of the orphaned blocks after a restart too', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const orphaned = block(11, 'orphaned', [model.insert(testAddress(1))]);
    await prover.apply(orphaned);
    await prover.apply([reverted(11, 'orphaned')]);
    await prover.end();
    prover = new TestProver(store, sha256, { firstOffset: await offsetOf(store) });
    await prover.apply(orphaned);
    expect(await ask(0)).toMatchObject({ slot: 10, rootSeq: 5n });
  });

  describe('while blocks of another branch are refused', () => {
    const [ofTrees, ofOther] = [[testAddress(1)], [testAddress(2)]];
    let other: AddressTreeModel;
    let refused: TreeUpdatesMessage[];
    beforeEach(async () => {
      await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
      other = model.fork();
      await prover.apply(block(11, 'orphaned', [model.insert(...ofTrees)]));
      refused = fork(12, 'right', 10, [other.insert(...ofOther)], other);
      await prover.apply(refused);
    });

    it('refuses proofs, also after a restart', async () => {
      await expect(ask(11)).rejects.toThrow(BranchUndecidedError);
      await prover.end();
      prover = new TestProver(store, sha256, { firstOffset: (await store.claimPartition(0, 1)).offset ?? 0n });
      await expect(ask(11)).rejects.toThrow(BranchUndecidedError);
    });

    it('serves the other branch once the branch of the trees is reverted and the other is published again', async () => {
      await prover.apply([reverted(11, 'orphaned')]);
      expect(await ask(10)).toMatchObject({ slot: 10, rootSeq: 5n });
      await prover.apply(refused);
      expect(await ask(12)).toMatchObject({ slot: 12, root: other.root });
    });

    it('serves the branch of the trees once the other is reverted', async () => {
      await prover.apply([reverted(12, 'right')]);
      expect(await ask(11)).toMatchObject({ slot: 11, root: model.root });
    });

    it('logs an error, and reports the trees as refused until then', async () => {
      const sentences = () => log.lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
      expect(sentences()).toEqual(['records refused: their blocks are on another branch than the trees']);
      expect(log.lines.some(({ msg }) => msg === 'tree is unservable')).toBe(true);
      await prover.apply([reverted(12, 'right')]);
      expect(log.lines.some(({ msg }) => msg === 'tree is servable again')).toBe(true);
    });
  });

  it('applies a block that was reverted by mistake once it is adopted', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const adopted = block(11, 'main', [model.insert(testAddress(1))]);
    await prover.apply([...adopted, reverted(11, 'main')]);
    await prover.apply(adopted);
    expect(await ask(0)).toMatchObject({ slot: 10, rootSeq: 5n });
    await prover.apply([{ kind: 'slot-adopted', slot: toSlot(11), blockhash: blockhashAt(11) }, ...adopted]);
    expect(await ask(11)).toMatchObject({ slot: 11, root: model.root, rootSeq: model.seq });
  });

  it('releases a tree that an orphaned block had quarantined', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const change = model.insert(testAddress(1));
    const wrong = { ...change, updates: [{ ...change.updates[0], highHash: ZERO_HASH }] };
    await prover.apply(block(11, 'orphaned', [wrong]));
    await expect(ask(11)).rejects.toThrow('contradicts the chain and is quarantined');
    await prover.apply([reverted(11, 'orphaned')]);
    expect(await ask(10)).toMatchObject({ slot: 10, rootSeq: 5n });
  });

  it('reverts a partially published block', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const { root } = model;
    await prover.apply(block(11, 'orphaned', [model.insert(testAddress(1))]).slice(0, 1));
    await prover.apply([reverted(11, 'orphaned')]);
    expect(await ask(10)).toMatchObject({ slot: 10, root });
  });

  it('logs reverts and skipped records', async () => {
    const orphaned = block(11, 'orphaned', [model.insert(testAddress(0))]);
    await prover.apply([...block(10, 'main', []), ...orphaned]);
    await prover.apply([reverted(11, 'orphaned')]);
    await prover.apply(orphaned);
    const warned = log.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warned).toEqual(['orphaned blocks reverted in the trees', 'records skipped: their blocks are orphaned']);
  });
});
