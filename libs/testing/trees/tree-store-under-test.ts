import {
  type BlocksCommit,
  NO_QUEUE_CHANGES,
  type OpenTree,
  type TreeCommit,
  type TreeEntry,
  type TreePartition,
  type TreeStore,
} from '@fresnel/adapters/tree-store';
import { type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type TreeHead, hashElement, NodePages, NO_CHANGES, NO_POSITIONS, queueStartOf } from '@fresnel/domain/trees';
import { blockhashAt } from '@fresnel/testing/chain';
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

/** What a commit has besides the changes of trees. */
export interface NextCommit {
  slot?: Slot | null;
  blocks?: BlocksCommit;
  /** Default: the batch has one record. */
  to?: bigint;
}

/** Commits the next batch of a partition: changes of trees, on top of their newest entries. */
export async function commitNext(
  partition: TreePartition,
  trees: readonly TreeCommit[],
  { slot = null, blocks, to = (partition.offset ?? 0n) + 1n }: NextCommit = {},
): Promise<void> {
  const entries: TreeEntry[] = [];
  for (const tree of trees) entries.push({ ...tree, on: (await partition.openTree(tree.head.info.tree)).entry });
  const block = slot === null ? null : { slot, blockhash: blockhashAt(slot) };
  await partition.commit({ trees: entries, block, blocks, to });
}

/** Commits the next batch of the only partition of a store. */
export async function commitTo(store: TreeStore, trees: readonly TreeCommit[], next?: NextCommit): Promise<void> {
  await commitNext(await store.claimPartition(0, 1), trees, next);
}

/** The offset of the only partition of a store. */
export async function offsetOf(store: TreeStore): Promise<bigint> {
  return (await store.claimPartition(0, 1)).offset ?? 0n;
}

/** The heads of all trees of a store with one partition. */
export async function headsOf(store: TreeStore): Promise<TreeHead[]> {
  const { trees } = await store.claimPartition(0, 1);
  const opened = await Promise.all(trees.map((tree) => store.openTree(tree)));
  return opened.flatMap(({ head }) => (head ? [head] : []));
}

/** A new store for each test, with its claimed partitions. */
export class TestTreeStore {
  private opened: TreeStoreUnderTest | null = null;
  private current: TreeStore | null = null;
  private readonly claimed = new Map<number, TreePartition>();

  /** Must be called in a `describe` block. */
  constructor(open: () => Promise<TreeStoreUnderTest>) {
    beforeEach(async () => {
      this.opened = await open();
      this.current = this.opened.store;
      this.claimed.clear();
    });
    afterEach(() => this.opened?.close());
  }

  get store(): TreeStore {
    if (!this.current) throw new Error('no test is running');
    return this.current;
  }

  /** Commits the next batch of a partition, which is claimed before the first one. */
  async commit(
    trees: TreeCommit[],
    { partition = 0, ...next }: NextCommit & { partition?: number } = {},
  ): Promise<void> {
    await commitNext(this.claimed.get(partition) ?? (await this.claim(partition)), trees, next);
  }

  async claim(partition = 0): Promise<TreePartition> {
    const claimed = await this.store.claimPartition(partition, 1);
    this.claimed.set(partition, claimed);
    return claimed;
  }

  /** The offset after the last commit. */
  async offset(partition = 0): Promise<bigint | null> {
    return (await this.store.claimPartition(partition, 1)).offset;
  }

  open(tree: Pubkey): Promise<OpenTree> {
    return this.store.openTree(tree);
  }

  heads(): Promise<TreeHead[]> {
    return headsOf(this.store);
  }

  /** Runs a check, and runs it again after reopening the store, if that is possible. */
  async beforeAndAfterReopening(check: () => Promise<void>): Promise<void> {
    await check();
    if (!this.opened?.reopen) return;
    this.current = await this.opened.reopen();
    this.claimed.clear();
    await check();
  }

  /** Reads proofs of the V1 tree and checks that each hashes up to the root that was read with it. */
  async expectValidProofs(addresses: readonly Hash[]): Promise<TreeHead | undefined> {
    const proofs = await this.store.readProofs(V1.tree, addresses);
    expect(proofs && invalidProofs(proofs)).toEqual([]);
    return proofs?.head;
  }
}
