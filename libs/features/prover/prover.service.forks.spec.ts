import { AddressExistsError, ProverUnavailableError } from '@fresnel/adapters/prover-client';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockhashAt } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { TestProver } from '@fresnel/testing/prover';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';

const NEW = [testAddress(50), testAddress(51)];

describe('ProverService, when the chain leaves blocks,', () => {
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

  /** All that ingest tells of a block. */
  function block(slot: number, branch: string, changes: AddressTreeChange[], of = model): TreeUpdatesMessage[] {
    const name = { slot: toSlot(slot), blockhash: blockhashAt(slot, branch) };
    return [
      { kind: 'update', update: { ...of.tell(slot, ...changes), ...name } },
      { kind: 'slot-reached', ...name },
    ];
  }
  const reverted = (slot: number, branch: string): TreeUpdatesMessage => ({
    kind: 'slot-reverted',
    slot: toSlot(slot),
    blockhash: blockhashAt(slot, branch),
  });
  const ask = (minSlot: number, asked = NEW) =>
    prover.service.proveNewAddresses(model.info.tree, asked, toSlot(minSlot));

  it('proves from before them, at a slot before them, and then from the branch that the chain took', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const [root, seq, other] = [model.root, model.seq, model.fork()];
    await prover.apply(block(11, 'left', [model.insert(testAddress(1))]));
    await prover.apply(block(13, 'left', [model.insert(testAddress(2))]));
    await expect(ask(13, [testAddress(1)])).rejects.toThrow(AddressExistsError);
    await prover.apply([reverted(13, 'left'), reverted(11, 'left')]);
    expect(await ask(10)).toMatchObject({ slot: 10, root, rootSeq: seq });
    expect((await ask(10, [testAddress(1)])).items).toHaveLength(1);
    await expect(ask(11)).rejects.toThrow(ProverUnavailableError);
    await prover.apply(block(12, 'right', [other.insert(testAddress(3))]));
    expect(await ask(11)).toMatchObject({ slot: 12, root: other.root, rootSeq: other.seq });
  });

  it('takes no notice of what is told of them later', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const other = model.fork();
    const left = block(11, 'left', [model.insert(testAddress(1), testAddress(2))]);
    await prover.apply(left);
    await prover.apply([reverted(11, 'left')]);
    await prover.apply([...left, reverted(11, 'left')]);
    expect(await ask(0)).toMatchObject({ slot: 10, rootSeq: 5n });
    await prover.apply(block(12, 'right', [other.insert(testAddress(3))], other));
    await prover.apply([...left, reverted(11, 'left')]);
    expect(await ask(0)).toMatchObject({ slot: 12, root: other.root, rootSeq: other.seq });
  });

  it('changes nothing for one that it never heard of', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    await prover.apply(block(12, 'main', [model.insert(testAddress(1))]));
    for (const slot of [12, 11, 10, 13]) await prover.apply([reverted(slot, 'strange')]);
    expect(await ask(12)).toMatchObject({ slot: 12, root: model.root });
    await prover.apply(block(13, 'strange', [model.insert(testAddress(2))]));
    expect(await ask(12)).toMatchObject({ slot: 12, rootSeq: 7n });
  });

  it('remembers them over a restart', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const left = block(11, 'left', [model.insert(testAddress(1))]);
    await prover.apply(left);
    await prover.apply([reverted(11, 'left')]);
    await prover.end();
    prover = new TestProver(store, sha256, { firstOffset: (await store.findPosition(0)) ?? 0n });
    await prover.apply(left);
    expect(await ask(0)).toMatchObject({ slot: 10, rootSeq: 5n });
  });

  it('opens a tree again that one of them had closed', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const change = model.insert(testAddress(1));
    const wrong = { ...change, updates: [{ ...change.updates[0], highHash: ZERO_HASH }] };
    await prover.apply(block(11, 'left', [wrong]));
    await expect(ask(11)).rejects.toThrow('contradicts the chain and is closed');
    await prover.apply([reverted(11, 'left')]);
    expect(await ask(10)).toMatchObject({ slot: 10, rootSeq: 5n });
  });

  it('takes back half a block, of which no more came', async () => {
    await prover.apply(block(10, 'main', [model.insert(testAddress(0))]));
    const { root } = model;
    await prover.apply(block(11, 'left', [model.insert(testAddress(1))]).slice(0, 1));
    await prover.apply([reverted(11, 'left')]);
    expect(await ask(10)).toMatchObject({ slot: 10, root });
  });

  it('says in the log what it takes back, and what comes late', async () => {
    const left = block(11, 'left', [model.insert(testAddress(0))]);
    await prover.apply([...block(10, 'main', []), ...left]);
    await prover.apply([reverted(11, 'left')]);
    await prover.apply(left);
    const warned = log.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warned).toEqual([
      'address trees are back before blocks that the chain has left',
      'records of blocks off the branch are passed over',
    ]);
  });
});
