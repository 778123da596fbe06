import { InMemoryBus } from '@fresnel/adapters/bus';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type AddressTreeChange, hashElement, nodesOnPaths, MerklePaths } from '@fresnel/domain/trees';
import { createProverMetrics, ProverService } from '@fresnel/features/prover';
import { createLogger, Registry } from '@fresnel/platform';
import { blockLinkAt } from '@fresnel/testing/chain';
import { TreeRecords } from '@fresnel/testing/messages';
import {
  AddressTreeModel,
  rootOfProof,
  sha256,
  StateTreeModel,
  testAddress,
  testAddressTree,
  treeHasherOf,
} from '@fresnel/testing/trees';
import { type ProverClient } from './prover-client';
import { unpackProofs } from './proof-records';
import { NODE_BYTES } from './prover-elements';

/** A client under test. */
export interface ProverClientUnderTest {
  client: ProverClient;
  close(): Promise<void>;
}

const addresses = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => testAddress(from + at));

/** The contract suite of `ProverClient`. @param open creates a client of a prover */
export function describeProverClientContract(open: (prover: ProverClient) => Promise<ProverClientUnderTest>): void {
  describe('the contract of a prover client', () => {
    let stop: AbortController;
    let bus: InMemoryBus;
    let running: Promise<void>;
    let v1: AddressTreeModel;
    let v2: AddressTreeModel;
    let subject: ProverClientUnderTest;
    let client: ProverClient;
    let records: TreeRecords;

    beforeEach(async () => {
      records = new TreeRecords();
      stop = new AbortController();
      bus = new InMemoryBus({ retryPauseMs: 1 });
      v1 = new AddressTreeModel(testAddressTree('addressV1'), sha256);
      v2 = new AddressTreeModel(testAddressTree('addressV2'), sha256);
      const store = await InMemoryTreeStore.open(sha256, null);
      const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
      const metrics = createProverMetrics(new Registry());
      const prover = new ProverService(bus, store, treeHasherOf(sha256), options, createLogger('silent'), metrics);
      running = prover.run(stop.signal);
      subject = await open(prover);
      client = subject.client;
    });
    afterEach(async () => {
      await subject.close();
      stop.abort();
      await running;
    });

    /** Publishes the changes of a tree in a slot, and waits until the prover has applied them. */
    function applySlot(slot: number, model: AddressTreeModel, ...changes: AddressTreeChange[]): Promise<void> {
      return publish(slot, model.updateAt(slot, ...changes));
    }

    async function publish(slot: number, update: TreeUpdate): Promise<void> {
      await bus.publish(TREE_UPDATES, records.of(blockLinkAt(slot), [update]), stop.signal);
      await bus.waitUntilDrained(stop.signal);
    }

    const prove = (model: AddressTreeModel, requested = addresses(50, 51), minSlot = 0) =>
      client.proveNewAddresses(model.info.tree, requested, toSlot(minSlot));

    it('returns proofs in the order of the request, also for duplicates', async () => {
      await applySlot(5, v1, v1.insert(...addresses(0, 20)));
      const requested = [...addresses(50, 60), testAddress(53), testAddress(50), testAddress(50)];
      const { root, rootSeq, slot, ...records } = await prove(v1, requested, 5);
      const items = unpackProofs(records);
      expect([root, rootSeq, slot]).toEqual([v1.root, v1.seq, 5]);
      expect(items.map(({ address }) => address)).toEqual(requested);
      for (const { address, lowElementLeafIndex: index, nextIndex, siblings, ...range } of items) {
        const low = { index, nextIndex, value: range.lowerRangeAddress, nextValue: range.higherRangeAddress };
        expect(low).toEqual(v1.lowOf(address));
        expect(rootOfProof(hashElement('addressV1', low, sha256), index, siblings, sha256)).toEqual(root);
      }
    });

    it('proves a thousand addresses of a tree with 40 levels in one call', async () => {
      await applySlot(5, v2);
      const requested = addresses(0, 1_000);
      const items = unpackProofs(await prove(v2, requested));
      expect(items.map(({ address }) => address)).toEqual(requested);
      expect(new Set(items.map(({ siblings }) => siblings.length))).toEqual(new Set([40]));
    });

    it('returns no proofs for no addresses', async () => {
      await applySlot(5, v1);
      const none = { elements: Buffer.alloc(0), paths: MerklePaths.of([], 26, Buffer.alloc(0)) };
      expect(await prove(v1, [])).toMatchObject({ slot: 5, root: v1.root, rootSeq: v1.seq, ...none });
    });

    it('names an address that is already in the tree', async () => {
      await applySlot(5, v1, v1.insert(testAddress(7)));
      await expect(prove(v1, addresses(5, 10))).rejects.toMatchObject({
        name: 'AddressExistsError',
        code: 'address-exists',
        isRetryable: false,
        address: testAddress(7),
      });
    });

    it('names an unknown tree', async () => {
      await applySlot(5, v1);
      await expect(prove(v2)).rejects.toMatchObject({
        name: 'UnknownTreeError',
        code: 'unknown-tree',
        isRetryable: false,
        tree: v2.info.tree,
      });
    });

    it('explains in a sentence why a tree is unservable', async () => {
      v1.insert(testAddress(0));
      await applySlot(5, v1, v1.insert(testAddress(1)));
      await applySlot(6, v2, ...v2.enqueue(...addresses(0, 2)), { ...v2.batch(1), newRoot: ZERO_HASH });
      for (const [model, sentence] of [
        [v1, 'The first operations of this tree were not indexed: its history starts before INGEST_START_SLOT.'],
        [v2, 'The stored copy of this tree contradicts the chain and is quarantined.'],
      ] as const) {
        await expect(prove(model)).rejects.toMatchObject({
          name: 'TreeNotServableError',
          code: 'tree-not-servable',
          isRetryable: false,
          message: sentence,
        });
      }
    });

    it('returns the ends of queues', async () => {
      await applySlot(5, v2, ...v2.enqueue(...addresses(0, 5)), v2.batch(2));
      const inputQueue = { start: 0n, end: 0n };
      expect(await client.findQueues(v2.info.tree, toSlot(5))).toMatchObject({
        slot: 5,
        queue: { start: 2n, end: 5n },
        inputQueue,
      });
      await expect(client.findQueues(v1.info.tree, toSlot(5))).rejects.toMatchObject({ code: 'unknown-tree' });
      await expect(client.findQueues(v2.info.tree, toSlot(6))).rejects.toMatchObject({ code: 'tree-behind' });
    });

    it('returns entries of the queues of a state tree', async () => {
      const model = new StateTreeModel(sha256);
      const updates = [...model.queue(9), ...model.consume(1, 6, 5), model.append(4), model.nullify(1)];
      await applySlot(5, v1);
      await publish(6, model.updateAt(6, ...updates));
      const all = { startIndex: null, limit: 100, zkpBatchSize: 2 };
      const queues = { outputs: all, inputs: all, addresses: null };
      const found = await client.findQueueElements(model.info.tree, queues, toSlot(6));
      expect(found).toMatchObject({
        slot: 6,
        root: model.root,
        rootSeq: 2n,
        nextIndex: 4n,
        addresses: [],
        frontier: [],
      });
      expect(found.outputs).toEqual(
        [4, 5, 6, 7].map((leafIndex) => ({ leafIndex, accountHash: model.outputs[leafIndex], leaf: ZERO_HASH })),
      );
      expect(found.inputs).toEqual(
        [1, 2].map((queueIndex) => {
          const { hash: accountHash, ...entry } = model.inputs[queueIndex];
          return { queueIndex: BigInt(queueIndex), accountHash, ...entry, leaf: ZERO_HASH };
        }),
      );
      const pairs = [model.outputs.slice(4, 6), model.outputs.slice(6, 8)];
      expect(found.chains.outputs).toEqual(pairs.map((pair) => sha256(pair)));
      expect(found.chains.inputs).toEqual([sha256(model.inputs.slice(1).map(({ nullifier }) => nullifier))]);
      const records = Buffer.concat(found.nodes);
      expect(records.length).toBe(NODE_BYTES * [...nodesOnPaths([4, 5, 6, 7], 32)].length);
      expect(records.subarray(-NODE_BYTES)).toEqual(Buffer.concat([Buffer.of(32), Buffer.alloc(7), model.root]));
    });

    it('returns entries of the queue of an address tree', async () => {
      await applySlot(5, v2, ...v2.enqueue(...addresses(0, 7)), v2.batch(2));
      const queues = { outputs: null, inputs: null, addresses: { startIndex: 3n, limit: 3, zkpBatchSize: 2 } };
      const found = await client.findQueueElements(v2.info.tree, queues, toSlot(5));
      expect(found).toMatchObject({ root: v2.root, rootSeq: v2.seq, nextIndex: 3n, outputs: [], inputs: [] });
      expect(found.addresses).toEqual(
        [3, 4, 5].map((position) => {
          const { index, value, nextIndex, nextValue } = v2.lowOf(testAddress(position));
          const range = { lowElementValue: value, lowElementNextIndex: nextIndex, lowElementNextValue: nextValue };
          const address = testAddress(position);
          return { queueIndex: BigInt(position), address, lowElementLeafIndex: index, ...range };
        }),
      );
      expect(found.chains).toEqual({ outputs: [], inputs: [], addresses: [sha256(addresses(3, 5))] });
      expect(found.frontier.length).toBe(40);
    });

    it('names the first position of a queue that starts after the requested one', async () => {
      const model = new StateTreeModel(sha256);
      await applySlot(5, v1);
      await publish(6, model.updateAt(6, ...model.queue(9), model.append(4)));
      const outputs = { startIndex: 3n, limit: 1, zkpBatchSize: 500 };
      const queues = { outputs, inputs: null, addresses: null };
      await expect(client.findQueueElements(model.info.tree, queues, toSlot(6))).rejects.toMatchObject({
        code: 'queue-start-passed',
        isRetryable: false,
        startIndex: 3n,
        firstIndex: 4n,
      });
      for (const { tree } of [v1.info, v2.info]) {
        await expect(client.findQueueElements(tree, queues, toSlot(6))).rejects.toMatchObject({ code: 'unknown-tree' });
      }
      await expect(client.findQueueElements(model.info.tree, queues, toSlot(7))).rejects.toMatchObject({
        code: 'tree-behind',
      });
    });

    it('throws for a slot that is not applied yet', async () => {
      await applySlot(5, v1);
      await expect(prove(v1, addresses(0, 1), 6)).rejects.toMatchObject({
        name: 'TreeBehindError',
        code: 'tree-behind',
        isRetryable: true,
        slot: 5,
        minSlot: 6,
      });
      await applySlot(6, v1);
      expect(await prove(v1, addresses(0, 1), 6)).toMatchObject({ slot: 6 });
    });
  });
}
