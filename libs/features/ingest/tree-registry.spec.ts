import { type TreeSource } from '@fresnel/adapters/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { type Pubkey, toPubkey, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees } from '@fresnel/ledger-generator';
import { TreeRegistry } from './tree-registry';

const TREES = generatedTrees();
const [STATE_V1, , STATE_V2, , ADDRESS_V1, ADDRESS_V2] = TREES;
const keyAt = (byte: number): Pubkey => toPubkey(Buffer.alloc(32, byte));

/** Knows some trees by their keys and queues, and what it was asked. */
class KnownTrees implements TreeSource {
  readonly asked: Pubkey[][] = [];
  listed: TreeInfo[] = [];

  constructor(public known: readonly TreeInfo[] = TREES) {}

  listTrees(): Promise<TreeInfo[]> {
    return Promise.resolve(this.listed);
  }

  findTrees(accounts: readonly Pubkey[]): Promise<TreeInfo[]> {
    this.asked.push([...accounts]);
    const isAsked = (key: Pubkey) => accounts.some((account) => account.equals(key));
    return Promise.resolve(this.known.filter(({ tree, queue }) => isAsked(tree) || isAsked(queue)));
  }
}

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

const nullified = (tree: Pubkey): CompressionEvent => ({ kind: 'leaves-nullified', tree, leafIndices: [0n], seq: 1n });
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
    ['a tree whose leaves were nullified', nullified(STATE_V1.tree), [STATE_V1]],
    ['a tree that got addresses', inserted(ADDRESS_V1.tree), [ADDRESS_V1]],
    ['a tree that got a batch of leaves', batch('batch-append', STATE_V2.tree), [STATE_V2]],
    ['a tree that got a batch of nullifiers', batch('batch-nullify', STATE_V2.tree), [STATE_V2]],
    ['a tree that got a batch of addresses', batch('batch-address-append', ADDRESS_V2.tree), [ADDRESS_V2]],
    ['nothing', transition([]), []],
  ])('resolves %s, whether known or not', async (_, event, expected) => {
    expect(await new TreeRegistry(TREES, source).resolve([event], signal)).toEqual(expected);
    expect(source.asked).toEqual([]);
    expect(await new TreeRegistry([], source).resolve([event], signal)).toEqual(expected);
    expect(source.asked).toHaveLength(expected.length > 0 ? 1 : 0);
  });

  it('names each tree once, however often events name it', async () => {
    const events = [transition([STATE_V1.tree]), nullified(STATE_V1.tree), transition([STATE_V1.tree, STATE_V1.queue])];
    expect(await new TreeRegistry(TREES, source).resolve(events, signal)).toEqual([STATE_V1]);
  });

  it('asks for all unknown accounts of a slot at once, each once', async () => {
    const registry = new TreeRegistry([STATE_V1], source);
    const events = [transition([STATE_V1.tree, STATE_V2.tree]), transition([STATE_V2.tree], [ADDRESS_V1.tree])];
    await registry.resolve(events, signal);
    expect(source.asked).toEqual([[STATE_V2.tree, ADDRESS_V1.tree]]);
    await registry.resolve(events, signal);
    await registry.resolve([transition([STATE_V2.queue])], signal);
    expect(source.asked).toHaveLength(1);
  });

  it('asks once for accounts that are no trees, and leaves them out', async () => {
    const registry = new TreeRegistry([], source);
    for (let time = 0; time < 3; time++) {
      expect(await registry.resolve([transition([keyAt(1), STATE_V1.tree]), nullified(keyAt(2))], signal)).toEqual([
        STATE_V1,
      ]);
    }
    expect(source.asked).toEqual([[keyAt(1), STATE_V1.tree, keyAt(2)]]);
  });

  it('forgets accounts that are no trees when there are too many of them', async () => {
    const registry = new TreeRegistry([], source);
    const strangers = Array.from({ length: 10_001 }, (_, at) => toPubkey(Buffer.alloc(32, `stranger ${at}`)));
    await registry.resolve([transition(strangers)], signal);
    await registry.resolve([transition([keyAt(1)])], signal);
    await registry.resolve([transition(strangers.slice(0, 1))], signal);
    await registry.resolve([transition([keyAt(1)])], signal);
    expect(source.asked.map(({ length }) => length)).toEqual([10_001, 1, 1]);
  });

  it('asks again when the source failed', async () => {
    const registry = new TreeRegistry([], source);
    jest.spyOn(source, 'findTrees').mockRejectedValueOnce(new Error('away'));
    await expect(registry.resolve([nullified(STATE_V1.tree)], signal)).rejects.toThrow('away');
    expect(await registry.resolve([nullified(STATE_V1.tree)], signal)).toEqual([STATE_V1]);
  });

  it('knows only configured trees where there is no source', async () => {
    const registry = new TreeRegistry([STATE_V1], null);
    await registry.load([ADDRESS_V1.tree], signal);
    expect(await registry.resolve([transition([STATE_V1.tree, STATE_V2.tree])], signal)).toEqual([STATE_V1]);
    expect(registry.all()).toEqual([STATE_V1]);
  });

  it('learns what the chain lists, and looks up what is wanted besides', async () => {
    source.listed = [STATE_V1, STATE_V2];
    const registry = new TreeRegistry([], source);
    await registry.load([STATE_V1.tree, ADDRESS_V1.queue, keyAt(3)], signal);
    expect(registry.all()).toEqual([STATE_V1, STATE_V2, ADDRESS_V1]);
    expect(source.asked).toEqual([[ADDRESS_V1.queue, keyAt(3)]]);
  });

  it('believes the chain rather than its settings', async () => {
    source.listed = [{ ...STATE_V1, rootHistoryCapacity: 17 }];
    const registry = new TreeRegistry([STATE_V1], source);
    await registry.load([], signal);
    expect(registry.all()).toEqual(source.listed);
  });

  describe('behind a fork', () => {
    const { signal } = new AbortController();

    it('knows of trees what the chain says now, and of those that it left only what was configured', async () => {
      const further = { ...ADDRESS_V1, observed: { ...ADDRESS_V1.observed, seq: 9n } };
      const source = new KnownTrees([further, ADDRESS_V2]);
      source.listed = [further];
      const registry = new TreeRegistry([STATE_V1, ADDRESS_V1], source);
      await registry.load([ADDRESS_V2.tree], signal);
      expect(registry.all()).toEqual([STATE_V1, further, ADDRESS_V2]);
      source.known = [];
      source.listed = [];
      await registry.reload([ADDRESS_V2.tree], signal);
      expect(registry.all()).toEqual([STATE_V1, ADDRESS_V1]);
      const back = { ...ADDRESS_V2, observed: { ...ADDRESS_V2.observed, seq: 3n } };
      source.known = [back];
      expect(await registry.resolve([inserted(ADDRESS_V2.tree)], signal)).toEqual([back]);
    });

    it('asks again for accounts that were no trees', async () => {
      const source = new KnownTrees([]);
      const registry = new TreeRegistry([], source);
      await registry.resolve([inserted(ADDRESS_V1.tree)], signal);
      source.known = TREES;
      expect(await registry.resolve([inserted(ADDRESS_V1.tree)], signal)).toEqual([]);
      await registry.reload([], signal);
      expect(await registry.resolve([inserted(ADDRESS_V1.tree)], signal)).toEqual([ADDRESS_V1]);
    });

    it('finds anew those that were found on the way', async () => {
      const source = new KnownTrees([STATE_V2]);
      const registry = new TreeRegistry([], source);
      await registry.resolve([nullified(STATE_V2.tree)], signal);
      const further = { ...STATE_V2, observed: { ...STATE_V2.observed, seq: 2n } };
      source.known = [further];
      await registry.reload([], signal);
      expect(registry.all()).toEqual([further]);
    });
  });
});
