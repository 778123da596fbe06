import { setImmediate } from 'node:timers/promises';
import { InMemoryBus } from '@fresnel/adapters/bus';
import {
  AddressExistsError,
  TreeBehindError,
  TreeNotServableError,
  UnknownTreeError,
  unpackProofs,
} from '@fresnel/adapters/prover-client';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { type Hash, toBase58, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type AddressTreeChange, hashElement, MAX_ADDRESS } from '@fresnel/domain/trees';
import { createLogger, Registry } from '@fresnel/platform';
import { blockLinkAt } from '@fresnel/testing/chain';
import { eventually } from '@fresnel/testing/generic';
import { TreeRecords } from '@fresnel/testing/messages';
import {
  AddressTreeModel,
  offsetOf,
  rootOfProof,
  sha256,
  testAddress,
  testAddressTree,
  treeHasherOf,
} from '@fresnel/testing/trees';
import { createProverMetrics } from './prover.metrics';
import { type ProverOptions, ProverService } from './prover.service';

const addresses = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => testAddress(from + at));
const AS_OF_NOW = toSlot(0);

describe('ProverService', () => {
  let stop: AbortController;
  let bus: InMemoryBus;
  let store: InMemoryTreeStore;
  let running: Promise<void>;
  let v1: AddressTreeModel;
  let v2: AddressTreeModel;
  let records: TreeRecords;
  beforeEach(async () => {
    records = new TreeRecords();
    stop = new AbortController();
    bus = new InMemoryBus({ retryPauseMs: 1 });
    store = await InMemoryTreeStore.open(sha256, null);
    [v1, v2] = [testAddressTree('addressV1'), testAddressTree('addressV2')].map(
      (info) => new AddressTreeModel(info, sha256),
    );
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  const logger = createLogger('silent');
  let registry: Registry;
  function start(options: Partial<ProverOptions> = {}): ProverService {
    registry = new Registry();
    const all = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100, ...options };
    const prover = new ProverService(bus, store, treeHasherOf(sha256), all, logger, createProverMetrics(registry));
    running = prover.run(stop.signal);
    return prover;
  }

  /** Publishes the changes of a slot, and waits until the prover has applied them. */
  async function publish(slot: number, ...changes: [AddressTreeModel, ...AddressTreeChange[]][]): Promise<void> {
    const updates = changes.map(([model, ...changes]) => model.updateAt(slot, ...changes));
    await bus.publish(TREE_UPDATES, records.of(blockLinkAt(slot), updates), stop.signal);
    await bus.waitUntilDrained(stop.signal);
  }

  it.each(['addressV1', 'addressV2'] as const)('proves that addresses are not in a tree of type %s', async (type) => {
    const prover = start();
    const model = type === 'addressV1' ? v1 : v2;
    const asked = [...addresses(50, 60), testAddress(50), Buffer.alloc(32).fill(1, 31) as Hash];
    for (let slot = 0; slot < 4; slot++) {
      const some = addresses(slot * 5, slot * 5 + 5);
      if (slot > 0) {
        await publish(slot, [
          model,
          ...(type === 'addressV1' ? [model.insert(...some)] : [...model.enqueue(...some), model.batch(4)]),
        ]);
      } else await publish(slot, [model]);
      const proofs = await prover.proveNewAddresses(model.info.tree, asked, toSlot(slot));
      const { root, rootSeq, slot: at } = proofs;
      const items = unpackProofs(proofs);
      expect([root, rootSeq, at]).toEqual([model.root, model.seq, slot]);
      expect(items.map(({ address }) => address)).toEqual(asked);
      for (const {
        address,
        lowerRangeAddress,
        higherRangeAddress,
        nextIndex,
        lowElementLeafIndex,
        siblings,
      } of items) {
        expect(lowerRangeAddress.compare(address)).toBe(-1);
        expect(address.compare(higherRangeAddress)).toBe(-1);
        const low = { index: lowElementLeafIndex, value: lowerRangeAddress, nextIndex, nextValue: higherRangeAddress };
        expect(siblings).toHaveLength(model.info.height);
        expect(rootOfProof(hashElement(type, low, sha256), lowElementLeafIndex, siblings, sha256)).toEqual(root);
      }
    }
  });

  it('rejects an address that is in the tree or in its queue', async () => {
    const prover = start();
    await publish(1, [v1, v1.insert(testAddress(0))], [v2, ...v2.enqueue(...addresses(0, 3)), v2.batch(1)]);
    const ask = (model: AddressTreeModel, ...asked: Hash[]) =>
      prover.proveNewAddresses(model.info.tree, asked, AS_OF_NOW);
    await expect(ask(v1, testAddress(0))).rejects.toThrow(AddressExistsError);
    await expect(ask(v2, testAddress(0))).rejects.toThrow(AddressExistsError);
    const some = ask(v2, testAddress(9), testAddress(2), testAddress(1));
    await expect(some).rejects.toMatchObject({ code: 'address-exists', address: testAddress(2) });
    await expect(ask(v2, ZERO_HASH)).rejects.toThrow(AddressExistsError);
    await expect(ask(v1, MAX_ADDRESS)).rejects.toThrow(AddressExistsError);
    expect(unpackProofs(await ask(v1, testAddress(1)))).toHaveLength(1);
  });

  it('rejects an unknown tree', async () => {
    const prover = start();
    await publish(1, [v1]);
    await expect(prover.proveNewAddresses(v2.info.tree, addresses(0, 1), AS_OF_NOW)).rejects.toThrow(UnknownTreeError);
  });

  it('rejects leaves of an address tree, and of an unknown tree', async () => {
    const prover = start();
    await publish(1, [v1]);
    for (const { info } of [v1, v2]) {
      await expect(prover.proveLeaves(info.tree, [0], AS_OF_NOW)).rejects.toThrow(UnknownTreeError);
    }
  });

  it('refuses proofs of incomplete trees with the reason, and serves the others', async () => {
    const prover = start();
    v1.insert(testAddress(0));
    await publish(1, [v1, v1.insert(testAddress(1))], [v2, ...v2.enqueue(...addresses(0, 2))]);
    const ask = (model: AddressTreeModel) => prover.proveNewAddresses(model.info.tree, addresses(9, 10), AS_OF_NOW);
    await expect(ask(v1)).rejects.toThrow(TreeNotServableError);
    await expect(ask(v1)).rejects.toThrow('The first operations of this tree were not indexed');
    expect(await ask(v2)).toMatchObject({ root: v2.root });
    await publish(2, [v2, { ...v2.batch(1), newRoot: ZERO_HASH }]);
    await expect(ask(v2)).rejects.toThrow('contradicts the chain and is quarantined');
  });

  it('serves a tree with gaps if configured, but no proof between elements that do not match', async () => {
    const prover = start({ ACCEPT_TREE_GAPS: true });
    v1.insert(...addresses(0, 10));
    await publish(1, [v1, v1.insert(...addresses(10, 13))]);
    // One address directly below an indexed element, and one that no indexed element's range contains.
    const seen = testAddress(12);
    const inside = Buffer.from(seen) as Hash;
    inside[31]--;
    const others = addresses(100, 200);
    const lows = await (await store.openTree(v1.info.tree)).findLowElements(others);
    const between = others.filter((address, at) => (lows[at]?.nextValue.compare(address) ?? 0) < 0);
    const ask = (address: Hash) => prover.proveNewAddresses(v1.info.tree, [address], AS_OF_NOW);
    const proofs = await ask(inside);
    expect(proofs.rootSeq).toBe(v1.seq);
    expect(unpackProofs(proofs)).toMatchObject([{ higherRangeAddress: seen }]);
    await expect(ask(between[0])).rejects.toThrow('The elements around this address were not indexed.');
  });

  it('waits for a slot that the tables already have', async () => {
    const prover = start({ PROVER_MAX_WAIT_MS: 60_000 });
    await publish(4, [v1]);
    const asked = [prover.proveNewAddresses(v1.info.tree, addresses(5, 6), toSlot(6))];
    await publish(5, [v1, v1.insert(testAddress(0))]);
    asked.push(prover.proveNewAddresses(v1.info.tree, addresses(5, 6), toSlot(6)));
    await publish(6, [v1, v1.insert(testAddress(1))]);
    for (const { slot, root } of await Promise.all(asked)) expect([slot, root]).toEqual([6, v1.root]);
  });

  it('serves no tree between the changes of a slot and its watermark: their block is not known', async () => {
    const prover = start({ PROVER_MAX_WAIT_MS: 5_000 });
    await publish(0, [v1]);
    const [update, watermark] = records.of(blockLinkAt(1), [v1.updateAt(1, v1.insert(...addresses(0, 3)))]);
    await bus.publish(TREE_UPDATES, [update], stop.signal);
    await bus.waitUntilDrained(stop.signal);
    const proving = prover.proveNewAddresses(v1.info.tree, [testAddress(50)], AS_OF_NOW);
    expect(await Promise.race([proving, setImmediate('still waiting')])).toBe('still waiting');
    await bus.publish(TREE_UPDATES, [watermark], stop.signal);
    const { slot, blockhash } = blockLinkAt(1);
    expect(await proving).toMatchObject({ slot, blockhash, root: v1.root });
  });

  it('waits at most as long as configured', async () => {
    const prover = start({ PROVER_MAX_WAIT_MS: 30 });
    const ask = () => prover.proveNewAddresses(v1.info.tree, addresses(5, 6), toSlot(6));
    await expect(ask()).rejects.toThrow('applied up to slot none, but slot 6 is requested');
    await publish(5, [v1]);
    await expect(ask()).rejects.toThrow(TreeBehindError);
    await expect(ask()).rejects.toMatchObject({ isRetryable: true });
    await publish(6);
    expect(await ask()).toMatchObject({ slot: 6 });
  });

  it('continues at the position of its store, and does not read earlier records', async () => {
    const prover = start();
    await publish(1, [v1, v1.insert(testAddress(0))]);
    await publish(2, [v1, v1.insert(testAddress(1))]);
    stop.abort();
    await running;
    const position = await offsetOf(store);
    expect(position).toBe(4n);
    stop = new AbortController();
    bus = new InMemoryBus({ firstOffset: () => position });
    const next = start();
    await publish(3, [v1, v1.insert(testAddress(2))]);
    for (const one of [prover, next]) {
      expect(await one.proveNewAddresses(v1.info.tree, addresses(5, 6), toSlot(3))).toMatchObject({ root: v1.root });
    }
  });

  it('has no metrics of a tree until it is applied, nor after its partition is released', async () => {
    const lines = async () =>
      (await registry.metrics()).split('\n').filter((line) => /^fresnel_prover_(slot|tree_)/.test(line));
    start();
    expect(await lines()).toEqual([]);
    await publish(1, [v1, v1.insert(testAddress(0))]);
    const tree = toBase58(v1.info.tree);
    await eventually('the tree is reported', async () => (await lines()).length === 3);
    expect(await lines()).toEqual([
      'fresnel_prover_slot{partition="0"} 1',
      `fresnel_prover_tree_seq{tree="${tree}"} ${v1.seq}`,
      `fresnel_prover_tree_served{tree="${tree}"} 1`,
    ]);
    stop.abort();
    await running;
    expect(await lines()).toEqual([]);
    // Another process that claims the partition reports the stored trees before the next record arrives.
    stop = new AbortController();
    const position = await offsetOf(store);
    bus = new InMemoryBus({ firstOffset: () => position });
    start();
    await eventually('the stored tree is reported', async () => (await lines()).length === 2);
    expect((await lines())[0]).toContain('fresnel_prover_tree_seq');
  });

  it('counts the roots that it could compare, and measures the stages of each batch', async () => {
    start();
    const counts = async () => {
      const { values } = await (registry.getSingleMetric('fresnel_prover_root_checks_total')?.get() ?? { values: [] });
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels.result), value]));
    };
    expect(await counts()).toEqual({ matched: 0, mismatched: 0, unchecked: 0 });
    await publish(1, [v1, v1.insert(testAddress(0))]);
    expect(await counts()).toEqual({ matched: 0, mismatched: 0, unchecked: 1 });
    await publish(2, [v2, ...v2.enqueue(testAddress(0), testAddress(1)), v2.batch(1)]);
    expect(await counts()).toEqual({ matched: 1, mismatched: 0, unchecked: 1 });
    const wrong = { ...v2.batch(1), newRoot: ZERO_HASH };
    for (const slot of [3, 4]) await publish(slot, [v2, wrong]);
    expect(await counts()).toEqual({ matched: 1, mismatched: 1, unchecked: 1 });
    const text = await registry.metrics();
    const batches = ['read', 'hash', 'commit'].map(
      (stage) => new RegExp(`fresnel_prover_batch_seconds_count\\{stage="${stage}"\\} (\\d+)`).exec(text)?.[1],
    );
    expect(new Set(batches).size).toBe(1);
    expect(Number(batches[0])).toBeGreaterThanOrEqual(4);
  });

  it('counts how often it was fenced', async () => {
    jest.spyOn(bus, 'consume').mockImplementation((consumer) => {
      consumer.onFenced?.();
      return Promise.resolve();
    });
    start();
    await running;
    expect(await registry.metrics()).toMatch(/^fresnel_prover_fenced_total 1$/m);
  });

  it('logs once when a tree is quarantined, unservable or servable again, and sets the metric', async () => {
    const [error, warn, info] = (['error', 'warn', 'info'] as const).map((level) => jest.spyOn(logger, level));
    const isServed = async (model: AddressTreeModel) => {
      const { values } = await (registry.getSingleMetric('fresnel_prover_tree_served')?.get() ?? { values: [] });
      return values.find(({ labels }) => labels.tree === toBase58(model.info.tree))?.value;
    };
    start();
    const [first, second] = [v1.insert(testAddress(0)), v1.insert(testAddress(1))];
    await publish(1, [v1, first], [v2, ...v2.enqueue(testAddress(0))]);
    const third = v1.insert(testAddress(2));
    await publish(2, [v1, third]);
    await publish(3, [v1, third]);
    expect([warn.mock.calls.length, info.mock.calls.length, await isServed(v1), await isServed(v2)]).toEqual([
      1, 0, 0, 1,
    ]);
    expect(warn.mock.calls[0]).toMatchObject([{ tree: toBase58(v1.info.tree), slot: 2, seq: '5' }, expect.any(String)]);
    await publish(4, [v1, second, third]);
    expect([warn.mock.calls.length, info.mock.calls.length, await isServed(v1)]).toEqual([1, 1, 1]);
    const wrong = { ...v2.batch(1), newRoot: ZERO_HASH };
    for (const slot of [5, 6]) await publish(slot, [v2, wrong]);
    expect([error.mock.calls.length, await isServed(v2)]).toEqual([1, 0]);
    expect(error.mock.calls[0]).toMatchObject([
      { quarantineReason: expect.stringContaining('root after batch 1') as string },
      'tree is quarantined',
    ]);
  });
});
