import { AddressExistsError, TreeBehindError, unpackProofs } from '@fresnel/adapters/prover-client';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockhashAt, blockLinkAt } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { TestProver } from '@fresnel/testing/prover';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';

const NEW = [testAddress(50), testAddress(51)];

describe('ProverService with orphaned blocks', () => {
  let model: AddressTreeModel;
  let store: InMemoryTreeStore;
  let prover: TestProver;
  let log: ReturnType<typeof captureLog>;
  beforeEach(async () => {
    model = new AddressTreeModel(testAddressTree('addressV1'), sha256);
    store = await InMemoryTreeStore.open(sha256, null);
    log = captureLog();
    prover = new TestProver(store, sha256, { logger: log.logger });
  });
  afterEach(() => prover.end());

  /** All tree records that ingest publishes for a block. */
  function block(slot: number, branch: string, changes: AddressTreeChange[], of = model): TreeUpdatesMessage[] {
    const name = blockLinkAt(slot, branch);
    return [
      { kind: 'update', update: { ...of.updateAt(slot, ...changes), ...name } },
      { kind: 'watermark', ...name, silent: [] },
    ];
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
    await prover.apply(block(12, 'right', [other.insert(testAddress(3))]));
    expect(await ask(11)).toMatchObject({ slot: 12, root: other.root, rootSeq: other.seq });
  });

  it('skips records of the orphaned blocks after the revert', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const other = model.fork();
    const orphaned = block(11, 'orphaned', [model.insert(testAddress(1), testAddress(2))]);
    await prover.apply(orphaned);
    await prover.apply([reverted(11, 'orphaned')]);
    await prover.apply([...orphaned, reverted(11, 'orphaned')]);
    expect(await ask(0)).toMatchObject({ slot: 10, rootSeq: 5n });
    await prover.apply(block(12, 'right', [other.insert(testAddress(3))], other));
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
    prover = new TestProver(store, sha256, { firstOffset: (await store.findPosition(0)) ?? 0n });
    await prover.apply(orphaned);
    expect(await ask(0)).toMatchObject({ slot: 10, rootSeq: 5n });
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
    expect(warned).toEqual([
      'orphaned blocks reverted in the trees',
      'records skipped: their blocks are not on the branch of the trees',
    ]);
  });
});
