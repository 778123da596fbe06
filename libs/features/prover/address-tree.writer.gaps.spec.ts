import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeChange, unservableReasonOf } from '@fresnel/domain/trees';
import {
  AddressTreeModel,
  commitTo,
  invalidProofs,
  sha256,
  testAddress,
  testAddressTree,
  treeHasherOf,
} from '@fresnel/testing/trees';
import { TreeWriter } from './tree.writer';

const SLOT = toSlot(1_000);
const addresses = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => testAddress(from + at));

async function setUp(type: 'addressV1' | 'addressV2') {
  const model = new AddressTreeModel(testAddressTree(type), sha256);
  const store = await InMemoryTreeStore.open(sha256, null);
  const { tree } = model.info;
  return {
    model,
    follow: async (changes: AddressTreeChange[], acceptGaps = true) => {
      const commit = await TreeWriter.apply(
        [model.updateAt(SLOT, ...changes)],
        await store.openTree(tree),
        treeHasherOf(sha256),
        acceptGaps,
      );
      await commitTo(store, [commit], { slot: SLOT });
      return { ...commit.head, unservableCode: unservableReasonOf(commit.head, SLOT, acceptGaps)?.code ?? null };
    },
    /** Expects proofs to hash up to the root of the store, although operations are missing. */
    expectProofs: async () => {
      const proofs = await store.readProofs(tree, addresses(30, 60));
      expect(proofs?.items).toHaveLength(30);
      expect(proofs && invalidProofs(proofs)).toEqual([]);
    },
  };
}

describe('a recording that starts inside the history', () => {
  it('of an AddressV1 tree is applied as the chain reported it, with the sequence numbers of the chain', async () => {
    const { model, follow, expectProofs } = await setUp('addressV1');
    model.insert(...addresses(0, 5));
    const head = await follow([model.insert(...addresses(5, 8))]);
    expect(head).toMatchObject({ seq: 19n, nextIndex: 10, unservableCode: null });
    await expectProofs();
    model.insert(...addresses(8, 9));
    const change = model.insert(...addresses(9, 12));
    const later = await follow([change]);
    expect(later).toMatchObject({ seq: 27n, nextIndex: 14, unservableCode: null });
    expect((await follow([change])).root).toEqual(later.root);
    await expectProofs();
  });

  it('of an AddressV2 tree treats missing leaves as empty', async () => {
    const { model, follow, expectProofs } = await setUp('addressV2');
    model.enqueue(...addresses(0, 4));
    model.batch(4);
    const queued = model.enqueue(...addresses(4, 8));
    const head = await follow([...queued.slice(2), model.batch(4)]);
    expect(head).toMatchObject({ seq: 2n, nextIndex: 9, unservableCode: null, quarantineReason: null });
    expect(head.root).not.toEqual(model.root);
    await expectProofs();
  });

  it('of an AddressV2 tree skips an address that is already inserted', async () => {
    const { model, follow, expectProofs } = await setUp('addressV2');
    const change = { ...model.enqueue(testAddress(0), testAddress(1))[1], address: testAddress(0) };
    await follow([{ ...change, queueIndex: 0n }, change, model.batch(2)]);
    await expectProofs();
  });
});

describe('a complete recording', () => {
  it.each(['addressV1', 'addressV2'] as const)('of a tree of type %s produces the tree of the chain', async (type) => {
    const { model, follow, expectProofs } = await setUp(type);
    const isV1 = type === 'addressV1';
    for (let at = 0; at < 20; at += 5) {
      const some = addresses(at, at + 5);
      const changes = isV1 ? [model.insert(...some)] : [...model.enqueue(...some), model.batch(4)];
      const { root, seq, nextIndex } = await follow(changes);
      expect({ root, seq, nextIndex }).toEqual({ root: model.root, seq: model.seq, nextIndex: model.nextIndex });
    }
    await expectProofs();
  });
});

it('does not release a tree that contradicts the chain', async () => {
  const { model, follow } = await setUp('addressV1');
  const change = model.insert(testAddress(0));
  const wrong = { ...change, updates: [{ ...change.updates[0], lowHash: testAddress(9) }] };
  expect(await follow([wrong], false)).toMatchObject({ unservableCode: 'quarantined' });
  expect(await follow([change])).toMatchObject({ unservableCode: 'quarantined', seq: 3n });
});
