import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead, type AddressTreeType, type ElementKey, MAX_ADDRESS, NO_POSITIONS } from '@fresnel/domain/trees';
import {
  AddressTreeModel,
  commitOf,
  sha256,
  testAddresses,
  testAddressTree,
  treeHasherOf,
} from '@fresnel/testing/trees';
import fc from 'fast-check';
import { emptiedTree, type RebuiltTree, rebuildTree } from './rebuild-tree';

const WRONG = Buffer.alloc(32, 9) as Hash;
const hasher = treeHasherOf(sha256);

/** A tree on the chain with some addresses, further ones in the queue of a V2 tree. */
function createModel(type: AddressTreeType, inserted: number, queued = 0): AddressTreeModel {
  const model = new AddressTreeModel(testAddressTree(type), sha256);
  const addresses = testAddresses(0, inserted);
  if (type === 'addressV1') {
    if (inserted > 0) model.insert(...addresses);
  } else {
    model.enqueue(...addresses, ...testAddresses(inserted, inserted + queued));
    if (inserted > 0) model.batch(inserted);
  }
  return model;
}

function queueOf({ nextIndex }: AddressTreeModel, queued: number): Map<bigint, Hash> {
  const addresses = testAddresses(nextIndex - 1, nextIndex - 1 + queued);
  return new Map(addresses.map((address, at) => [BigInt(nextIndex - 1 + at), address]));
}

/** The stored head of a quarantined tree with a wrong root, which has ignored operations. */
function quarantined({ head }: ReturnType<typeof commitOf>): TreeHead {
  const changes = { count: 5, lastSlot: toSlot(77) };
  return {
    ...head,
    root: WRONG,
    seen: { ...NO_POSITIONS, seq: head.seq + 2n, queueEnd: 99n },
    quarantineReason: 'wrong',
    changes,
  };
}

/** Values in the order of their leaves, in parts of three. Async, like those of the journal. */
async function* inParts(elements: readonly ElementKey[]): AsyncGenerator<ElementKey[]> {
  for (let from = 0; from < elements.length; from += 3) {
    await Promise.resolve();
    yield elements.slice(from, from + 3).map(({ index, value }) => ({ index, value }));
  }
}

function rebuild(
  head: TreeHead,
  elements: readonly ElementKey[],
  queue = new Map<bigint, Hash>(),
  onProgress: (leaves: number) => void = () => undefined,
): Promise<RebuiltTree> {
  return rebuildTree(head, inParts(elements), queue, hasher, onProgress);
}

describe('a rebuilt tree', () => {
  it('equals the tree on the chain: elements, nodes, root, queue and positions', async () => {
    const types = fc.constantFrom<AddressTreeType>('addressV1', 'addressV2');
    const sizes = fc.record({ type: types, inserted: fc.nat(40), queued: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ type, inserted, queued }) => {
        const model = createModel(type, inserted, queued);
        const queue = type === 'addressV2' ? queueOf(model, queued) : new Map<bigint, Hash>();
        const healthy = commitOf(model, queue);
        const tree = await rebuild(quarantined(healthy), model.all, queue);
        expect([...tree.elements]).toEqual(model.all);
        expect(tree.pages).toEqual(healthy.pages);
        expect(tree.queue).toEqual(queue);
        expect(tree.head).toEqual({
          ...healthy.head,
          seen: { ...NO_POSITIONS, seq: model.seq + 2n, queueEnd: 99n },
          changes: { count: 6, lastSlot: 77 },
        });
      }),
      { numRuns: 30 },
    );
  });

  it('is computed from the addresses alone: other parts of the stored copy may be wrong', async () => {
    const model = createModel('addressV1', 9);
    const { head } = commitOf(model);
    const damaged = model.all.map((element) => (element.index < 2 ? { ...element, value: WRONG } : element));
    const tree = await rebuild({ ...quarantined({ ...commitOf(model), head }), seq: 8n }, damaged);
    expect([...tree.elements]).toEqual(model.all);
    expect(tree.head).toMatchObject({ root: model.root, seq: model.seq, quarantineReason: null });
  });

  it('has the queue up to its first gap', async () => {
    const model = createModel('addressV2', 4, 5);
    const queue = queueOf(model, 5);
    queue.delete(6n);
    const tree = await rebuild(quarantined(commitOf(model)), model.all, queue);
    expect([...tree.queue.keys()]).toEqual([4n, 5n]);
    expect(tree.head).toMatchObject({ queueEnd: 6n, seen: { queueEnd: 99n } });
  });

  it('is hashed in steps of thousands of leaves', async () => {
    const values = testAddresses(0, 5_000).map((value, at) => ({ index: at + 2, value }));
    const head = { ...quarantined(commitOf(createModel('addressV1', 0))), nextIndex: 5_002 };
    const steps: number[] = [];
    await rebuild(head, values, new Map(), (leaves) => steps.push(leaves));
    expect(steps).toEqual([4_096, 5_002]);
  });

  const keys = createModel('addressV1', 5).all;
  it.each<[string, readonly ElementKey[], string]>([
    ['is missing', keys.filter(({ index }) => index !== 4), '1 of 7 addresses are not stored'],
    ['is repeated', keys.map((key) => (key.index === 4 ? { ...keys[5], index: 4 } : key)), 'have the same address'],
    [
      'is out of range',
      keys.map((key) => (key.index === 4 ? { index: 4, value: WRONG } : key)),
      'leaf 4 is out of range',
    ],
    [
      'is the end of the range',
      keys.map((key) => (key.index === 4 ? { index: 4, value: MAX_ADDRESS } : key)),
      'out of range',
    ],
  ])('does not exist if an address %s', async (_, stored, message) => {
    const head = quarantined(commitOf(createModel('addressV1', 5)));
    const rebuilding = rebuild(head, stored);
    await expect(rebuilding).rejects.toMatchObject({ code: 'tree-not-rebuildable' });
    await expect(rebuilding).rejects.toThrow(message);
  });
});

describe('an emptied tree', () => {
  it.each(['addressV1', 'addressV2'] as const)('is the initial %s tree, of which operations are missing', (type) => {
    const model = createModel(type, 6);
    const initial = commitOf(createModel(type, 0));
    const tree = emptiedTree(quarantined(commitOf(model)), hasher);
    expect([[...tree.elements], tree.pages]).toEqual([initial.elements, initial.pages]);
    expect(tree.head).toEqual({
      ...initial.head,
      seen: { ...NO_POSITIONS, seq: model.seq + 2n, queueEnd: 99n },
      changes: { count: 6, lastSlot: 77 },
    });
  });
});
