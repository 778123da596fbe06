import { NO_QUEUE_CHANGES, type TreeCommit, type TreeStore, type TreeStoreCommit } from '@fresnel/adapters/tree-store';
import { type Hash } from '@fresnel/domain/primitives';
import { type TreeHead, hashElement, NodePages, NO_CHANGES, NO_POSITIONS, queueStartOf } from '@fresnel/domain/trees';
import { invalidProofs } from './invalid-proofs';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/address-trees';

/** What the contract suite needs from an implementation. Hashes are made by `sha256`. */
export interface TreeStoreUnderTest {
  /** An empty store. */
  store: TreeStore;
  /** Closes the store and opens it again. Null if the store does not outlive its process. */
  reopen: (() => Promise<TreeStore>) | null;
  close(): Promise<void>;
}

export const V1 = testAddressTree('addressV1');
export const V2 = testAddressTree('addressV2');

/** Integers from `from` to `to`, `to` excluded. */
export const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
export const testAddresses = (from: number, to: number) => numbers(from, to).map(testAddress);

/** A commit with the complete state of a model. */
export function commitOf(model: AddressTreeModel, queued: ReadonlyMap<bigint, Hash> = new Map()): TreeCommit {
  const { info, seq, nextIndex, root, queueEnd } = model;
  const pages = new NodePages(() => undefined, sha256);
  pages.writeLeaves(new Map(model.all.map((one) => [one.index, hashElement(info.type, one, sha256)])), info.height);
  const positions = { ...NO_POSITIONS, seq, queueEnd };
  return {
    head: {
      info,
      ...positions,
      nextIndex,
      root,
      inputQueueStart: 0n,
      seen: positions,
      quarantineReason: null,
      changes: NO_CHANGES,
      untrusted: null,
    },
    removed: [],
    elements: [...model.all],
    pages: pages.changedPages(),
    queue: { truncatedFrom: null, added: queued, start: queueStartOf({ info, nextIndex }) },
    inputQueue: NO_QUEUE_CHANGES,
    undo: [],
  };
}

/** A model with some addresses. */
export function filledTree(info = V1, count = 20): AddressTreeModel {
  const model = new AddressTreeModel(info, sha256);
  model.insert(...testAddresses(0, count));
  return model;
}

/** A new store for each test, with the epochs of the claimed partitions. */
export class TestTreeStore {
  private opened: TreeStoreUnderTest | null = null;
  private current: TreeStore | null = null;
  private readonly epochs = new Map<number, bigint>();

  /** Must be called in a `describe` block. */
  constructor(open: () => Promise<TreeStoreUnderTest>) {
    beforeEach(async () => {
      this.opened = await open();
      this.current = this.opened.store;
      this.epochs.clear();
    });
    afterEach(() => this.opened?.close());
  }

  get store(): TreeStore {
    if (!this.current) throw new Error('no test is running');
    return this.current;
  }

  commit(trees: TreeCommit[], overrides: Partial<TreeStoreCommit> = {}): Promise<void> {
    return this.store.commit({ trees, slot: null, position: null, ...overrides });
  }

  async claim(partition: number): Promise<void> {
    this.epochs.set(partition, (await this.store.claimPosition(partition, 1)).epoch);
  }

  /** A change of position in a claimed partition. */
  move(from: bigint, to: bigint, partition = 0) {
    return { partition, epoch: this.epochs.get(partition) ?? 0n, from, to };
  }

  /** Runs a check, and runs it again after reopening the store, if that is possible. */
  async beforeAndAfterReopening(check: () => Promise<void>): Promise<void> {
    await check();
    if (!this.opened?.reopen) return;
    this.current = await this.opened.reopen();
    await check();
  }

  /** Reads proofs of the V1 tree and checks that each hashes up to the root that was read with it. */
  async expectValidProofs(addresses: readonly Hash[]): Promise<TreeHead | undefined> {
    const proofs = await this.store.readProofs(V1.tree, addresses);
    expect(proofs && invalidProofs(proofs)).toEqual([]);
    return proofs?.head;
  }
}
