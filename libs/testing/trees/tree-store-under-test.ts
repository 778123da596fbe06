import { type TreeCommit, type TreeStore, type TreeStoreCommit } from '@fresnel/adapters/tree-store';
import { type Hash } from '@fresnel/domain/primitives';
import { type AddressTreeHead, hashElement, NodePages, NO_CHANGES } from '@fresnel/domain/trees';
import { AddressTreeModel, rootOfProof, sha256, testAddress, testAddressTree } from '@fresnel/testing/address-trees';

/** What an implementation gives its contract tests; hashes are made by `sha256`. */
export interface TreeStoreUnderTest {
  /** A store that nothing was committed to. */
  store: TreeStore;
  /** Closes the store and opens it again. Null where a store ends with its process. */
  reopen: (() => Promise<TreeStore>) | null;
  close(): Promise<void>;
}

export const V1 = testAddressTree('addressV1');
export const V2 = testAddressTree('addressV2');

/** Whole numbers from the first up to, not including, the last. */
export const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
export const testAddresses = (from: number, to: number) => numbers(from, to).map(testAddress);

/** A tree as its model is now, whole. */
export function commitOf(model: AddressTreeModel, queued: ReadonlyMap<bigint, Hash> = new Map()): TreeCommit {
  const { info, seq, nextIndex, root, queueEnd } = model;
  const pages = new NodePages(() => undefined, sha256);
  pages.writeLeaves(new Map(model.all.map((one) => [one.index, hashElement(info.type, one, sha256)])), info.height);
  const seen = { seq, queueEnd };
  return {
    head: { info, seq, nextIndex, root, queueEnd, seen, quarantineReason: null, changes: NO_CHANGES, untrusted: null },
    removed: [],
    elements: [...model.all],
    pages: pages.changedPages(),
    queueTruncatedFrom: null,
    queued,
    queueStart: info.type === 'addressV2' ? BigInt(nextIndex - 1) : 0n,
    undo: [],
  };
}

/** The model of a tree with some addresses. */
export function grownTree(info = V1, count = 20): AddressTreeModel {
  const model = new AddressTreeModel(info, sha256);
  model.insert(...testAddresses(0, count));
  return model;
}

/** A new store for each test, with the epochs of partitions that were taken. */
export class StoreInTest {
  private under: TreeStoreUnderTest | null = null;
  private current: TreeStore | null = null;
  private readonly epochs = new Map<number, bigint>();

  /** To be called where tests are described. */
  constructor(open: () => Promise<TreeStoreUnderTest>) {
    beforeEach(async () => {
      this.under = await open();
      this.current = this.under.store;
      this.epochs.clear();
    });
    afterEach(() => this.under?.close());
  }

  get store(): TreeStore {
    if (!this.current) throw new Error('no test is running');
    return this.current;
  }

  commit(trees: TreeCommit[], more: Partial<TreeStoreCommit> = {}): Promise<void> {
    return this.store.commit({ trees, slot: null, position: null, ...more });
  }

  async take(partition: number): Promise<void> {
    this.epochs.set(partition, (await this.store.claimPosition(partition, 1)).epoch);
  }

  /** A move in a partition that was taken. */
  move(from: bigint, to: bigint, partition = 0) {
    return { partition, epoch: this.epochs.get(partition) ?? 0n, from, to };
  }

  /** Looks now, and where a store can be opened again, then once more. */
  async nowAndLater(look: () => Promise<void>): Promise<void> {
    await look();
    if (!this.under?.reopen) return;
    this.current = await this.under.reopen();
    await look();
  }

  /** Proves from the V1 tree, and folds every proof to the root that it comes with. */
  async expectTrueProofs(addresses: readonly Hash[]): Promise<AddressTreeHead | undefined> {
    const proofs = await this.store.readProofs(V1.tree, addresses);
    for (const { low, siblings } of proofs?.items ?? []) {
      const leaf = low && hashElement('addressV1', low, sha256);
      expect(leaf && rootOfProof(leaf, low.index, siblings, sha256)).toEqual(proofs?.head.root);
    }
    return proofs?.head;
  }
}
