import { InMemoryBus } from '@fresnel/adapters/bus';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type AddressTreeChange, hashElement } from '@fresnel/domain/trees';
import { createProverMetrics, ProverService } from '@fresnel/features/prover';
import { createLogger, Registry } from '@fresnel/platform';
import { blockLinkAt } from '@fresnel/testing/chain';
import { AddressTreeModel, rootOfProof, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { type ProverClient } from './prover-client';

/** A client under test. */
export interface ProverClientUnderTest {
  client: ProverClient;
  close(): Promise<void>;
}

const addresses = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => testAddress(from + at));

/** What every way to a prover does. @param open makes a client of this prover */
export function describeProverClientContract(open: (prover: ProverClient) => Promise<ProverClientUnderTest>): void {
  describe('as a prover client', () => {
    let stop: AbortController;
    let bus: InMemoryBus;
    let running: Promise<void>;
    let v1: AddressTreeModel;
    let v2: AddressTreeModel;
    let under: ProverClientUnderTest;
    let client: ProverClient;

    beforeEach(async () => {
      stop = new AbortController();
      bus = new InMemoryBus({ retryPauseMs: 1 });
      v1 = new AddressTreeModel(testAddressTree('addressV1'), sha256);
      v2 = new AddressTreeModel(testAddressTree('addressV2'), sha256);
      const store = await InMemoryTreeStore.open(sha256, null);
      const options = { acceptTreeGaps: false, maxWaitMs: 0 };
      const metrics = createProverMetrics(new Registry());
      const prover = new ProverService(bus, store, sha256, options, createLogger('silent'), metrics);
      running = prover.run(stop.signal);
      under = await open(prover);
      client = under.client;
    });
    afterEach(async () => {
      await under.close();
      stop.abort();
      await running;
    });

    /** Tells the prover what a slot did to a tree, and waits until it has heard it. */
    async function tell(slot: number, model: AddressTreeModel, ...changes: AddressTreeChange[]): Promise<void> {
      const messages: TreeUpdatesMessage[] = [
        { kind: 'update', update: model.updateAt(slot, ...changes) },
        { kind: 'watermark', ...blockLinkAt(slot) },
      ];
      await bus.publish(TREE_UPDATES, messages, stop.signal);
      await bus.waitUntilDrained(stop.signal);
    }

    const ask = (model: AddressTreeModel, asked = addresses(50, 51), minSlot = 0) =>
      client.proveNewAddresses(model.info.tree, asked, toSlot(minSlot));

    it('proves in the order asked for, and as often as an address is asked for', async () => {
      await tell(5, v1, v1.insert(...addresses(0, 20)));
      const asked = [...addresses(50, 60), testAddress(53), testAddress(50), testAddress(50)];
      const { items, root, rootSeq, slot } = await ask(v1, asked, 5);
      expect([root, rootSeq, slot]).toEqual([v1.root, v1.seq, 5]);
      expect(items.map(({ address }) => address)).toEqual(asked);
      for (const { address, lowElementLeafIndex: index, nextIndex, proof, ...range } of items) {
        const low = { index, nextIndex, value: range.lowerRangeAddress, nextValue: range.higherRangeAddress };
        expect(low).toEqual(v1.lowOf(address));
        expect(rootOfProof(hashElement('addressV1', low, sha256), index, proof, sha256)).toEqual(root);
      }
    });

    it('proves a thousand addresses of a tree with 40 levels at once', async () => {
      await tell(5, v2);
      const asked = addresses(0, 1_000);
      const { items } = await ask(v2, asked);
      expect(items.map(({ address }) => address)).toEqual(asked);
      expect(new Set(items.map(({ proof }) => proof.length))).toEqual(new Set([40]));
    });

    it('proves nothing when nothing is asked for', async () => {
      await tell(5, v1);
      expect(await ask(v1, [])).toEqual({ slot: 5, root: v1.root, rootSeq: v1.seq, items: [] });
    });

    it('names the address that is in the tree already', async () => {
      await tell(5, v1, v1.insert(testAddress(7)));
      await expect(ask(v1, addresses(5, 10))).rejects.toMatchObject({
        name: 'AddressExistsError',
        code: 'address-exists',
        isRetryable: false,
        address: testAddress(7),
      });
    });

    it('names the tree that it does not know', async () => {
      await tell(5, v1);
      await expect(ask(v2)).rejects.toMatchObject({
        name: 'UnknownTreeError',
        code: 'unknown-tree',
        isRetryable: false,
        tree: v2.info.tree,
      });
    });

    it('says in a sentence why it does not serve a tree', async () => {
      v1.insert(testAddress(0));
      await tell(5, v1, v1.insert(testAddress(1)));
      await tell(6, v2, ...v2.enqueue(...addresses(0, 2)), { ...v2.batch(1), newRoot: ZERO_HASH });
      for (const [model, sentence] of [
        [v1, 'The beginning of this tree was not indexed: its history starts before INGEST_START_SLOT.'],
        [v2, 'This copy of the tree contradicts the chain and is closed.'],
      ] as const) {
        await expect(ask(model)).rejects.toMatchObject({
          name: 'TreeNotServableError',
          code: 'tree-not-servable',
          isRetryable: false,
          message: sentence,
        });
      }
    });

    it('cannot be asked for a slot that it has not reached', async () => {
      await tell(5, v1);
      await expect(ask(v1, addresses(0, 1), 6)).rejects.toMatchObject({
        name: 'ProverUnavailableError',
        code: 'prover-unavailable',
        isRetryable: true,
        message: 'address trees are applied up to slot 5, but slot 6 is requested',
      });
      await tell(6, v1);
      expect(await ask(v1, addresses(0, 1), 6)).toMatchObject({ slot: 6 });
    });
  });
}
