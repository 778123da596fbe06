import { blockLinkAt } from '@fresnel/testing/chain';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import {
  AddressTreeModel,
  numbers,
  sha256,
  StateTreeModel,
  testAddresses,
  testStateTree,
  V1,
  V2,
  siblingsOnPath,
} from '@fresnel/testing/trees';
import { TreeMovedError, TreeStoreDamagedError } from './tree-store.errors';
import { InMemoryTreeStore } from './in-memory.tree-store';
import { readQueuedElements } from './queued-elements';
import { type QueueSelection, type TreeReads } from './tree-store';

const NONE = { outputs: null, inputs: null, addresses: null };
const all: QueueSelection = { from: null, limit: 100_000, multipleOf: 1 };

describe('readQueuedElements', () => {
  let prover: TestProver;
  let store: InMemoryTreeStore;
  let state: StateTreeModel;
  let addresses: AddressTreeModel;
  let slot: number;
  let records: TreeRecords;
  beforeEach(async () => {
    store = await InMemoryTreeStore.open(sha256, null);
    prover = new TestProver(store, sha256);
    state = new StateTreeModel(sha256);
    addresses = new AddressTreeModel(V2, sha256);
    slot = 0;
    records = new TreeRecords();
  });
  afterEach(() => prover.end());

  async function apply(...updates: ReturnType<StateTreeModel['updateAt']>[]): Promise<void> {
    await prover.apply(records.of(blockLinkAt(slot), updates));
  }
  const applyState = (...changes: Parameters<StateTreeModel['updateAt']>[1][]) =>
    apply(state.updateAt(++slot, ...changes));

  it('returns whole queues of more entries than one read, with nodes that hash up to the root', async () => {
    await applyState(...state.queue(9_000), ...state.consume(...numbers(0, 4_500).map((at) => 2 * at)));
    await applyState(state.append(11), state.nullify(3));
    const found = await store.readQueuedElements(state.info.tree, { ...NONE, outputs: all, inputs: all });
    expect(found?.head).toMatchObject({ root: state.root, seq: 2n });
    const outputs = state.outputs.map((hash, at) => [BigInt(at), hash]).slice(11);
    expect([...(found?.outputs.entries ?? [])]).toEqual(outputs);
    expect([...(found?.inputs.entries ?? [])]).toEqual(state.inputs.map((entry, at) => [BigInt(at), entry]).slice(3));
    expect([found?.outputs.first, found?.inputs.first, found?.addresses.first]).toEqual([11n, 3n, null]);
    for (const index of [0, 2, 6, 10, 11, 8_999]) {
      expect(found && siblingsOnPath(found.nodes, index, 32)).toEqual(siblingsOnPath(state.nodes, index, 32));
    }
  });

  it('selects by position and number, and cuts', async () => {
    await applyState(...state.queue(20), state.append(5));
    const read = async (selection: Partial<QueueSelection>) => {
      const found = await store.readQueuedElements(state.info.tree, { ...NONE, outputs: { ...all, ...selection } });
      return { first: found?.outputs.first, positions: [...(found?.outputs.entries.keys() ?? [])].map(Number) };
    };
    expect(await read({ limit: 3 })).toEqual({ first: 5n, positions: [5, 6, 7] });
    expect(await read({ from: 9n, limit: 8, multipleOf: 3 })).toEqual({ first: 9n, positions: numbers(9, 15) });
    expect(await read({ from: 3n, limit: 2 })).toEqual({ first: 5n, positions: [5, 6] });
    expect(await read({ multipleOf: 16 })).toEqual({ first: 5n, positions: [] });
    expect(await read({ from: 20n })).toEqual({ first: null, positions: [] });
    expect(await read({ limit: 0 })).toEqual({ first: null, positions: [] });
  });

  it('returns addresses with their low elements', async () => {
    const change = addresses.enqueue(...testAddresses(0, 30));
    await apply(addresses.updateAt(++slot, ...change, addresses.batch(12)));
    const found = await store.readQueuedElements(V2.tree, { ...NONE, addresses: all });
    expect([...(found?.addresses.entries.keys() ?? [])]).toEqual(numbers(12, 30).map(BigInt));
    expect(found?.lows).toEqual(testAddresses(12, 30).map((address) => addresses.lowOf(address)));
    for (const low of found?.lows ?? []) {
      const index = low?.index ?? 0;
      expect(found && siblingsOnPath(found.nodes, index, 40)).toEqual(addresses.siblingsOf(index));
    }
  });

  it('returns null for unknown trees, V1 trees, and trees without a requested queue', async () => {
    const v1 = { ...state.updateAt(1), tree: testStateTree('stateV1') };
    await apply({ ...addresses.updateAt(++slot), tree: V1 }, v1, addresses.updateAt(1), state.updateAt(1));
    const ask = (tree: Buffer, asked: object) =>
      store.readQueuedElements(tree as typeof V1.tree, { ...NONE, ...asked });
    expect(await ask(V1.tree, { addresses: all })).toBeNull();
    expect(await ask(v1.tree.tree, { outputs: all })).toBeNull();
    expect(await ask(V2.tree, { inputs: all })).toBeNull();
    expect(await ask(state.info.tree, { addresses: all })).toBeNull();
    expect(await ask(Buffer.alloc(32, 9), { outputs: all })).toBeNull();
    expect(await ask(state.info.tree, { outputs: all })).toMatchObject({ outputs: { first: null } });
    expect(await ask(V2.tree, { addresses: all })).toMatchObject({ addresses: { first: null } });
  });

  /** Reads the output queue of the state tree, and changes something whenever pages are read. @returns also the number of attempts */
  async function readWhile(change: () => Promise<void>, readsPages = true) {
    let attempts = 0;
    const open = async () => {
      attempts++;
      const opened = await store.openQueues(state.info.tree);
      if (!opened) return null;
      const { reads } = opened;
      const changing: TreeReads = {
        head: reads.head,
        findLowElements: (...args) => reads.findLowElements(...args),
        readQueue: (...args) => reads.readQueue(...args),
        readNullifiers: (...args) => reads.readNullifiers(...args),
        readUndo: () => reads.readUndo(),
        readPages: async (ids) => {
          await change();
          return readsPages ? reads.readPages(ids) : new Map<number, Buffer>();
        },
      };
      return { ...opened, reads: changing };
    };
    const found = await readQueuedElements(open, { ...NONE, outputs: all }, sha256);
    return { found, attempts };
  }

  it('reads again after a batch, and returns the state after it', async () => {
    await applyState(...state.queue(20));
    let batches = 2;
    const { found } = await readWhile(async () => (batches-- > 0 ? applyState(state.append(2)) : undefined));
    expect([found?.head.seq, found?.outputs.first, found?.head.root]).toEqual([2n, 4n, state.root]);
  });

  it('returns the state of its first read if only entries are queued meanwhile', async () => {
    await applyState(...state.queue(20), state.append(2));
    const { found } = await readWhile(() => applyState(...state.queue(5)));
    expect([found?.head.queueEnd, found?.outputs.entries.size, found?.slot]).toEqual([20n, 18, 1]);
    expect(state.outputs.length).toBe(25);
  });

  it('gives up when batches are faster', async () => {
    await applyState(...state.queue(60));
    const moved = await readWhile(() => applyState(state.append(2))).catch((error: unknown) => error);
    expect(moved).toBeInstanceOf(TreeMovedError);
    expect(moved).toMatchObject({ code: 'tree-moved', isRetryable: true });
  });

  it('reads again after a revert that leads to the same sequence number', async () => {
    await applyState(...state.queue(20));
    const append = state.append(2);
    await applyState(append);
    let isReverted = false;
    const { found, attempts } = await readWhile(async () => {
      if (isReverted) return;
      isReverted = true;
      const orphaned = blockLinkAt(slot);
      const { parentSlot, parentBlockhash } = orphaned;
      const next = { ...blockLinkAt(slot + 1), parentSlot, parentBlockhash };
      await prover.apply([
        { kind: 'slot-reverted', slot: orphaned.slot, blockhash: orphaned.blockhash },
        ...records.of(next, [state.updateAt(slot + 1, append)]),
      ]);
    });
    expect([found?.head.seq, found?.slot, attempts]).toEqual([1n, 3, 2]);
  });

  it('detects lost nodes', async () => {
    await applyState(...state.queue(20), state.append(2));
    await expect(readWhile(() => Promise.resolve(), false)).rejects.toThrow(TreeStoreDamagedError);
  });
});
