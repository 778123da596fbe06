import {
  type FoundTrees,
  IncompleteTreesError,
  type TreeLookup,
  type TreeSource,
  type UnreadAccount,
} from '@fresnel/adapters/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { keyOf, type Pubkey, toPubkey, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees } from '@fresnel/ledger-generator';
import { TreeRegistry } from './tree-registry';

const TREES = generatedTrees();
const [STATE_V1, , STATE_V2, , ADDRESS_V1, ADDRESS_V2] = TREES;
const SLOT = toSlot(500);
const keyAt = (byte: number): Pubkey => toPubkey(Buffer.alloc(32, byte));

/** Finds some trees by their keys and queues, and records the lookups. */
class KnownTrees implements TreeSource {
  readonly lookups: Pubkey[][] = [];
  /** The options of each lookup. */
  readonly options: Omit<TreeLookup, 'accounts'>[] = [];
  listed: TreeInfo[] = [];
  /** Accounts that cannot be read. */
  unread: UnreadAccount[] = [];
  /** The slot of the next answers. */
  slot = SLOT;

  constructor(public known: readonly TreeInfo[] = TREES) {}

  listTrees(): Promise<TreeInfo[]> {
    return Promise.resolve(this.listed);
  }

  findTrees({ accounts, ...options }: TreeLookup): Promise<FoundTrees> {
    this.lookups.push([...accounts]);
    this.options.push(options);
    const isRequested = (key: Pubkey) => accounts.some((account) => account.equals(key));
    const trees = this.known.filter(({ tree, queue }) => isRequested(tree) || isRequested(queue));
    const unread = this.unread.filter(({ account }) => isRequested(account));
    return Promise.resolve({ trees, unread, slot: this.slot });
  }
}

/** All accounts were read, and these are trees. */
const resolved = (trees: readonly TreeInfo[]) => ({ trees, unread: new Map() });

function transition(outputTrees: readonly Pubkey[], addressTrees: readonly Pubkey[] = []): CompressionEvent {
  return {
    kind: 'transition',
    format: 2,
    inputs: [],
    outputs: outputTrees.map((treeAccount) => ({
      hash: ZERO_HASH,
      leafIndex: 0,
      treeAccount,
      body: null,
      ataOwner: null,
    })),
    newAddresses: addressTrees.map((tree) => ({ address: ZERO_HASH, tree, queueIndex: null })),
    sequenceNumbers: [],
  };
}

/** Consumes an account of a V2 tree, and one of a V1 tree, whose tree the event does not name. */
function consumption(tree: Pubkey): CompressionEvent {
  const nullification = { tree, leafIndex: 0, queueIndex: 0n, txHash: ZERO_HASH };
  const inputs = [nullification, null].map((nullification) => ({ hash: ZERO_HASH, nullification }));
  return { kind: 'transition', format: 2, inputs, outputs: [], newAddresses: [], sequenceNumbers: [] };
}

const nullified = (tree: Pubkey): CompressionEvent => ({ kind: 'leaves-nullified', tree, leafIndices: [0n], seq: 1n });
const migrated = (queue: Pubkey): CompressionEvent => ({ kind: 'leaf-migrated', queue, hash: ZERO_HASH });
const inserted = (tree: Pubkey): CompressionEvent => ({ kind: 'addresses-inserted', tree, updates: [], seq: 1n });
const batch = (kind: 'batch-append' | 'batch-nullify' | 'batch-address-append', tree: Pubkey): CompressionEvent => ({
  kind,
  tree,
  batchIndex: 0n,
  zkpBatchIndex: 0n,
  zkpBatchSize: 1n,
  oldNextIndex: 0n,
  newNextIndex: 1n,
  newRoot: ZERO_HASH,
  rootIndex: 0,
  seq: 1n,
  outputQueue: null,
});

describe('TreeRegistry', () => {
  const { signal } = new AbortController();
  let source: KnownTrees;
  beforeEach(() => {
    source = new KnownTrees();
  });

  it.each([
    ['the tree of an output', transition([STATE_V1.tree]), [STATE_V1]],
    ['the output queue of an output', transition([STATE_V2.queue]), [STATE_V2]],
    ['the tree of a new address', transition([], [ADDRESS_V2.tree]), [ADDRESS_V2]],
    ['the queue of a new address', transition([], [ADDRESS_V1.queue]), [ADDRESS_V1]],
    [
      'several',
      transition([STATE_V1.tree, STATE_V2.queue, STATE_V1.tree], [ADDRESS_V1.tree]),
      [STATE_V1, STATE_V2, ADDRESS_V1],
    ],
    ['the tree of a consumed account', consumption(STATE_V2.tree), [STATE_V2]],
    ['a tree whose leaves were nullified', nullified(STATE_V1.tree), [STATE_V1]],
    ['the output queue that a leaf was migrated to', migrated(STATE_V2.queue), [STATE_V2]],
    ['a tree with inserted addresses', inserted(ADDRESS_V1.tree), [ADDRESS_V1]],
    ['a tree with a batch of appended leaves', batch('batch-append', STATE_V2.tree), [STATE_V2]],
    ['a tree with a batch of nullified leaves', batch('batch-nullify', STATE_V2.tree), [STATE_V2]],
    ['a tree with a batch of addresses', batch('batch-address-append', ADDRESS_V2.tree), [ADDRESS_V2]],
    ['nothing', transition([]), []],
  ])('resolves %s, known or not', async (_, event, expected) => {
    expect(await new TreeRegistry(TREES, source).resolve([event], SLOT, signal)).toEqual(resolved(expected));
    expect(source.lookups).toEqual([]);
    expect(await new TreeRegistry([], source).resolve([event], SLOT, signal)).toEqual(resolved(expected));
    expect(source.lookups).toHaveLength(expected.length > 0 ? 1 : 0);
  });

  it('returns each tree once, even if several events name it', async () => {
    const events = [transition([STATE_V1.tree]), nullified(STATE_V1.tree), transition([STATE_V1.tree, STATE_V1.queue])];
    expect(await new TreeRegistry(TREES, source).resolve(events, SLOT, signal)).toEqual(resolved([STATE_V1]));
  });

  it('looks up all unknown accounts of a slot in one call, each once', async () => {
    const registry = new TreeRegistry([STATE_V1], source);
    const events = [transition([STATE_V1.tree, STATE_V2.tree]), transition([STATE_V2.tree], [ADDRESS_V1.tree])];
    await registry.resolve(events, SLOT, signal);
    expect(source.lookups).toEqual([[STATE_V2.tree, ADDRESS_V1.tree]]);
    await registry.resolve(events, SLOT, signal);
    await registry.resolve([transition([STATE_V2.queue])], SLOT, signal);
    expect(source.lookups).toHaveLength(1);
  });

  it('looks up accounts that are not trees once, and omits them', async () => {
    const registry = new TreeRegistry([], source);
    for (let time = 0; time < 3; time++) {
      const events = [transition([keyAt(1), STATE_V1.tree]), nullified(keyAt(2))];
      expect(await registry.resolve(events, SLOT, signal)).toEqual(resolved([STATE_V1]));
    }
    expect(source.lookups).toEqual([[keyAt(1), STATE_V1.tree, keyAt(2)]]);
  });

  it('remembers that an account is not a tree up to the slot of the answer, and not for later slots', async () => {
    const registry = new TreeRegistry([], source);
    const resolveAt = (slot: number) => registry.resolve([nullified(STATE_V1.tree)], toSlot(slot), signal);
    source.known = [];
    expect(await resolveAt(400)).toEqual(resolved([]));
    expect(await resolveAt(SLOT)).toEqual(resolved([]));
    expect(source.lookups).toHaveLength(1);
    source.known = TREES;
    expect(await resolveAt(SLOT + 1)).toEqual(resolved([STATE_V1]));
    expect(source.options.map(({ minContextSlot }) => minContextSlot)).toEqual([400, SLOT + 1]);
  });

  it('forgets the oldest accounts at the capacity of the negative cache', async () => {
    const registry = new TreeRegistry([], source, { negativeCacheCapacity: 3 });
    const resolve = (...accounts: Pubkey[]) => registry.resolve([transition(accounts)], SLOT, signal);
    await resolve(...[1, 2, 3, 4].map(keyAt));
    await resolve(keyAt(2), keyAt(3), keyAt(4));
    await resolve(keyAt(1));
    await resolve(keyAt(3), keyAt(4), keyAt(1));
    await resolve(keyAt(2));
    expect(source.lookups.map(({ length }) => length)).toEqual([4, 1, 1]);
  });

  it('reports accounts that could not be read, and looks them up again', async () => {
    const registry = new TreeRegistry([], source, { lookupRetryMs: 7 });
    source.known = [STATE_V2];
    source.unread = [{ account: STATE_V1.tree, reason: 'the node lags' }];
    const events = [transition([STATE_V1.tree, STATE_V2.tree, keyAt(1)])];
    expect(await registry.resolve(events, SLOT, signal)).toEqual({
      trees: [STATE_V2],
      unread: new Map([[keyOf(STATE_V1.tree), 'the node lags']]),
    });
    source.unread = [];
    source.known = TREES;
    expect(await registry.resolve(events, SLOT, signal)).toEqual(resolved([STATE_V1, STATE_V2]));
    expect(source.lookups).toEqual([[STATE_V1.tree, STATE_V2.tree, keyAt(1)], [STATE_V1.tree]]);
    expect(source.options[0]).toEqual({ minContextSlot: SLOT, retryForMs: 7 });
  });

  it('needs no list of trees', async () => {
    jest.spyOn(source, 'listTrees').mockRejectedValue(new IncompleteTreesError('refused', false));
    const registry = new TreeRegistry([], source);
    await registry.load([STATE_V1.tree], SLOT, signal);
    expect(registry.all()).toEqual([STATE_V1]);
  });

  it('waits for preloaded trees as long as it takes', async () => {
    const registry = new TreeRegistry([], source);
    await registry.load([STATE_V1.tree], SLOT, signal);
    expect(source.options).toEqual([{ minContextSlot: SLOT, retryForMs: Infinity }]);
  });

  it('looks up again after the source failed', async () => {
    const registry = new TreeRegistry([], source);
    jest.spyOn(source, 'findTrees').mockRejectedValueOnce(new Error('unavailable'));
    await expect(registry.resolve([nullified(STATE_V1.tree)], SLOT, signal)).rejects.toThrow('unavailable');
    expect(await registry.resolve([nullified(STATE_V1.tree)], SLOT, signal)).toEqual(resolved([STATE_V1]));
  });

  it('finds only configured trees without a source', async () => {
    const registry = new TreeRegistry([STATE_V1], null);
    await registry.load([ADDRESS_V1.tree], SLOT, signal);
    expect(await registry.resolve([transition([STATE_V1.tree, STATE_V2.tree])], SLOT, signal)).toEqual(
      resolved([STATE_V1]),
    );
    expect(registry.all()).toEqual([STATE_V1]);
  });

  it('loads the listed trees, and looks up the preloaded ones that are not listed', async () => {
    source.listed = [STATE_V1, STATE_V2];
    const registry = new TreeRegistry([], source);
    await registry.load([STATE_V1.tree, ADDRESS_V1.queue, keyAt(3)], SLOT, signal);
    expect(registry.all()).toEqual([STATE_V1, STATE_V2, ADDRESS_V1]);
    expect(source.lookups).toEqual([[ADDRESS_V1.queue, keyAt(3)]]);
  });

  it('prefers what the chain lists to its configuration', async () => {
    source.listed = [{ ...STATE_V1, rootHistoryCapacity: 17 }];
    const registry = new TreeRegistry([STATE_V1], source);
    await registry.load([], SLOT, signal);
    expect(registry.all()).toEqual(source.listed);
  });

  describe('after a fork', () => {
    const { signal } = new AbortController();

    it('replaces trees by what the chain lists now, and missing ones by their configuration', async () => {
      const further = { ...ADDRESS_V1, observed: { ...ADDRESS_V1.observed, seq: 9n } };
      const source = new KnownTrees([further, ADDRESS_V2]);
      source.listed = [further];
      const registry = new TreeRegistry([STATE_V1, ADDRESS_V1], source);
      await registry.load([ADDRESS_V2.tree], SLOT, signal);
      expect(registry.all()).toEqual([STATE_V1, further, ADDRESS_V2]);
      source.known = [];
      source.listed = [];
      await registry.reload([ADDRESS_V2.tree], SLOT, signal);
      expect(registry.all()).toEqual([STATE_V1, ADDRESS_V1]);
      const recreated = { ...ADDRESS_V2, observed: { ...ADDRESS_V2.observed, seq: 3n } };
      source.known = [recreated];
      expect(await registry.resolve([inserted(ADDRESS_V2.tree)], SLOT, signal)).toEqual(resolved([recreated]));
    });

    it('looks up accounts again that were not trees', async () => {
      const source = new KnownTrees([]);
      const registry = new TreeRegistry([], source);
      await registry.resolve([inserted(ADDRESS_V1.tree)], SLOT, signal);
      source.known = TREES;
      expect(await registry.resolve([inserted(ADDRESS_V1.tree)], SLOT, signal)).toEqual(resolved([]));
      await registry.reload([], SLOT, signal);
      expect(await registry.resolve([inserted(ADDRESS_V1.tree)], SLOT, signal)).toEqual(resolved([ADDRESS_V1]));
    });

    it('looks up again the trees that transactions named', async () => {
      const source = new KnownTrees([STATE_V2]);
      const registry = new TreeRegistry([], source);
      await registry.resolve([nullified(STATE_V2.tree)], SLOT, signal);
      const further = { ...STATE_V2, observed: { ...STATE_V2.observed, seq: 2n } };
      source.known = [further];
      await registry.reload([], SLOT, signal);
      expect(registry.all()).toEqual([further]);
    });
  });
});
