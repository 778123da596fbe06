import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { blockLinkAt } from '@fresnel/testing/chain';
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
} from '@fresnel/testing/trees';
import { InMemoryTreeStore } from './in-memory.tree-store';
import { readQueuedElements, TreeMovedError, type VersionedTreeReads } from './queued-elements';
import { TreeStoreDamagedError } from './redis/errors';
import { type QueueSelection } from './tree-store';

const NONE = { outputs: null, inputs: null, addresses: null };
const all: QueueSelection = { from: null, limit: 100_000, multipleOf: 1 };

describe('readQueuedElements', () => {
  let prover: TestProver;
  let store: InMemoryTreeStore;
  let state: StateTreeModel;
  let addresses: AddressTreeModel;
  let slot: number;
  beforeEach(async () => {
    store = await InMemoryTreeStore.open(sha256, null);
    prover = new TestProver(store, sha256);
    state = new StateTreeModel(sha256);
    addresses = new AddressTreeModel(V2, sha256);
    slot = 0;
  });
  afterEach(() => prover.end());

  async function apply(...updates: ReturnType<StateTreeModel['updateAt']>[]): Promise<void> {
    const messages = updates.map((update): TreeUpdatesMessage => ({ kind: 'update', update }));
    await prover.apply([...messages, { kind: 'watermark', ...blockLinkAt(slot), silent: [] }]);
  }
  const applyState = (...changes: Parameters<StateTreeModel['updateAt']>[1][]) =>
    apply(state.updateAt(++slot, ...changes));

  it('returns whole queues of more entries than one read, with nodes that hash up to the root', async () => {
    await applyState(...state.queue(12_000), ...state.consume(...numbers(0, 6_000).map((at) => 2 * at)));
    await applyState(state.append(11), state.nullify(3));
    const found = await store.readQueuedElements(state.info.tree, { ...NONE, outputs: all, inputs: all });
    expect(found?.head).toMatchObject({ root: state.root, seq: 2n });
    const outputs = state.outputs.map((hash, at) => [BigInt(at), hash]).slice(11);
    expect([...(found?.outputs.entries ?? [])]).toEqual(outputs);
    expect([...(found?.inputs.entries ?? [])]).toEqual(state.inputs.map((entry, at) => [BigInt(at), entry]).slice(3));
    expect([found?.outputs.first, found?.inputs.first, found?.addresses.first]).toEqual([11n, 3n, null]);
    for (const index of [0, 2, 6, 10, 11, 11_999]) {
      expect(found?.nodes.siblings(index, 32)).toEqual(state.nodes.siblings(index, 32));
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
      expect(found?.nodes.siblings(low?.index ?? 0, 40)).toEqual(addresses.siblingsOf(low?.index ?? 0));
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

  /** A store that something changes whenever pages are read. */
  function changing(change: () => Promise<void>, overrides: Partial<VersionedTreeReads> = {}): VersionedTreeReads {
    return {
      readHead: (tree) => store.readHead(tree),
      findLowElements: (tree, values) => store.findLowElements(tree, values),
      readQueue: (...args) => store.readQueue(...args),
      readNullifiers: (...args) => store.readNullifiers(...args),
      readPages: async (tree, ids) => {
        await change();
        return store.readPages(tree, ids);
      },
      ...overrides,
    };
  }
  const read = (reads: VersionedTreeReads) =>
    readQueuedElements(reads, state.info.tree, { ...NONE, outputs: all }, sha256);

  it('reads again after a batch, and returns the state after it', async () => {
    await applyState(...state.queue(20));
    let batches = 2;
    const found = await read(changing(async () => (batches-- > 0 ? applyState(state.append(2)) : undefined)));
    expect([found?.head.seq, found?.outputs.first, found?.head.root]).toEqual([2n, 4n, state.root]);
  });

  it('returns the state of its first read if only entries are queued meanwhile', async () => {
    await applyState(...state.queue(20), state.append(2));
    const found = await read(changing(() => applyState(...state.queue(5))));
    expect([found?.head.queueEnd, found?.outputs.entries.size, found?.slot]).toEqual([20n, 18, 1]);
    expect(state.outputs.length).toBe(25);
  });

  it('gives up when batches are faster', async () => {
    await applyState(...state.queue(60));
    const moved = await read(changing(() => applyState(state.append(2)))).catch((error: unknown) => error);
    expect(moved).toBeInstanceOf(TreeMovedError);
    expect(moved).toMatchObject({ code: 'tree-moved', isRetryable: true });
  });

  it('reads again after a revert that leads to the same sequence number', async () => {
    await applyState(...state.queue(20), state.append(2));
    let historyId = 0;
    const readHead = async (tree: typeof V1.tree) => {
      const head = await store.readHead(tree);
      return head && { ...head, historyId: String(Math.min(historyId++, 2)) };
    };
    expect(await read(changing(() => Promise.resolve(), { readHead }))).toMatchObject({ historyId: '2' });
    expect(historyId).toBe(4);
  });

  it('detects lost nodes', async () => {
    await applyState(...state.queue(20), state.append(2));
    const readPages = () => Promise.resolve(new Map<number, Buffer>());
    await expect(read(changing(() => Promise.resolve(), { readPages }))).rejects.toThrow(TreeStoreDamagedError);
  });

  it('has another history id after a revert', async () => {
    await applyState(...state.queue(5));
    const before = await store.readHead(state.info.tree);
    await prover.apply([{ kind: 'slot-reverted', slot: toSlot(slot), blockhash: blockLinkAt(slot).blockhash }]);
    expect((await store.readHead(state.info.tree))?.historyId).not.toBe(before?.historyId);
  });
});
