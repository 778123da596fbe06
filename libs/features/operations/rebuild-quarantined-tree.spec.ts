import { type RebuiltTree } from '@fresnel/adapters/tree-store';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { encodeTreeAccount } from '@fresnel/testing/chain';
import {
  AddressTreeModel,
  commitOf,
  sha256,
  testAddresses,
  testAddressTree,
  treeHasherOf,
} from '@fresnel/testing/trees';
import { describeRebuild } from './describe-rebuild';
import { rebuildQuarantinedTree, type RebuildSources } from './rebuild-quarantined-tree';

const WRONG = Buffer.alloc(32, 9) as Hash;
const FIRST_SLOT = toSlot(100);

describe('the rebuild of a quarantined tree', () => {
  const model = new AddressTreeModel(testAddressTree('addressV1'), sha256);
  model.insert(...testAddresses(0, 6));
  const { tree } = model.info;
  const healthy = commitOf(model).head;
  const stored: TreeHead = {
    ...healthy,
    quarantineReason: 'wrong',
    changes: { count: 3, lastSlot: toSlot(1_000) },
  };

  let replaced: { rebuilt: RebuiltTree; fromSlot: number }[];
  let asked: number[];
  beforeEach(() => ([replaced, asked] = [[], []]));

  function sourcesWith(changes: Partial<RebuildSources> = {}, head = stored): RebuildSources {
    return {
      trees: {
        listHeads: () => Promise.resolve([head]),
        addressChunks: async function* () {
          await Promise.resolve();
          yield [...model.all];
        },
        readQueue: () => Promise.resolve(new Map()),
      },
      replace: (_, rebuilt, fromSlot) => Promise.resolve(void replaced.push({ rebuilt, fromSlot })),
      readAccount: (_, minContextSlot) => {
        asked.push(minContextSlot);
        return Promise.resolve(accountAt(model.seq, model.root));
      },
      findFirstSlot: () => Promise.resolve(FIRST_SLOT),
      hasher: treeHasherOf(sha256),
      onProgress: () => undefined,
      ...changes,
    };
  }

  function accountAt(seq: bigint, root: Hash): Buffer {
    return encodeTreeAccount({ ...model.info, observed: { ...model.info.observed, seq, root } });
  }
  const rebuild = (sources: RebuildSources, fromEmpty = false) => rebuildQuarantinedTree(tree, { fromEmpty }, sources);

  it('replaces the tree if the chain has its root, as of its last change', async () => {
    const outcome = await rebuild(sourcesWith());
    expect(outcome).toMatchObject({ seq: Number(model.seq), rootNotCompared: null, republishedFromSlot: 936 });
    expect(replaced).toMatchObject([
      { fromSlot: 936, rebuilt: { head: { root: model.root, quarantineReason: null } } },
    ]);
    expect(asked).toEqual([1_000]);
    expect(describeRebuild(outcome)).toMatch(/^chain +has this root$/m);
  });

  it.each([
    ['the node has another root', () => Promise.resolve(accountAt(model.seq, WRONG))],
    ['the chain has fewer operations', () => Promise.resolve(accountAt(model.seq - 2n, model.root))],
    ['there is no account', () => Promise.resolve(null)],
  ])('fails and gives the way out if %s', async (_, readAccount) => {
    const rebuilding = rebuild(sourcesWith({ readAccount }));
    await expect(rebuilding).rejects.toMatchObject({ code: 'wrong-addresses' });
    await expect(rebuilding).rejects.toThrow(/the stored addresses themselves differ from the chain: .* --from-empty$/);
    expect(replaced).toEqual([]);
  });

  it('fails in the same way if the addresses form no tree', async () => {
    const trees = { ...sourcesWith().trees, addressChunks: async function* () {} };
    const rebuilding = rebuild(sourcesWith({ trees }));
    await expect(rebuilding).rejects.toThrow(
      /differ from the chain: 6 of 8 addresses are not stored\. .* --from-empty$/,
    );
    expect(replaced).toEqual([]);
  });

  it.each([
    [
      'the history no longer has it',
      () => Promise.resolve(accountAt(model.seq + 9_999n, WRONG)),
      /no longer has the root/,
    ],
    ['no node is asked', null, /^no node was asked$/],
  ])('says why the root was not compared: %s', async (_, readAccount, reason) => {
    const outcome = await rebuild(sourcesWith({ readAccount }));
    expect(outcome.rootNotCompared).toMatch(reason);
    expect(replaced).toHaveLength(1);
    expect(describeRebuild(outcome)).toContain(`root not compared: ${outcome.rootNotCompared}`);
  });

  it('starts with the initial tree, and all operations since the first slot of the index', async () => {
    const outcome = await rebuild(sourcesWith({ readAccount: null }), true);
    expect(outcome).toMatchObject({ seq: 3, nextLeafIndex: 2, republishedFromSlot: FIRST_SLOT });
    expect(replaced[0].rebuilt.head).toMatchObject({ seq: 3n, seen: { seq: model.seq } });
  });

  it('from empty is also for a tree that lacks operations', async () => {
    const lacking = { ...healthy, seen: { ...healthy.seen, seq: healthy.seq + 1n } };
    await expect(rebuild(sourcesWith({}, lacking))).rejects.toThrow('is not quarantined');
    expect(await rebuild(sourcesWith({}, lacking), true)).toMatchObject({ republishedFromSlot: FIRST_SLOT });
    expect(replaced).toHaveLength(1);
  });

  it('is not for a tree that is not quarantined, or not stored', async () => {
    await expect(rebuild(sourcesWith({}, healthy))).rejects.toThrow('is not quarantined');
    await expect(rebuild(sourcesWith({}, healthy), true)).rejects.toThrow('is not quarantined');
    const other = rebuildQuarantinedTree(testAddressTree('addressV2').tree, { fromEmpty: false }, sourcesWith());
    await expect(other).rejects.toThrow(/^no tree amt2\S+ is stored$/);
  });
});
