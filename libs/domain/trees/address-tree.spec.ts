import { be32, type Hash, parsePubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead, createTree, unservableReasonOf, classifySequence } from './tree';
import { NO_POSITIONS } from './tree-changes';
import { type AddressTreeInfo } from './tree-info';
import { hashElement, type IndexedElement, MAX_ADDRESS } from './indexed-element';
import { InsertPlan } from './plan-inserts';
import { poseidon } from '@fresnel/domain/poseidon';
import { TreeMismatchError } from './tree-mismatch.error';

const hash = (hex: string) => Buffer.from(hex, 'hex') as Hash;

function infoOf(type: 'addressV1' | 'addressV2'): AddressTreeInfo {
  const tree = parsePubkey('EzKE84aVTkCUhDHLELqyJaq1Y7UVVmqxXqZjVHwHY3rK');
  const seq = type === 'addressV1' ? 3n : 0n;
  return {
    tree,
    queue: tree,
    type,
    height: type === 'addressV1' ? 26 : 40,
    rootHistoryCapacity: 20,
    owner: null,
    observed: { slot: toSlot(0), seq, nextIndex: seq === 3n ? 2n : 1n, queueEnd: 0n, inputQueueEnd: 0n, root: null },
  };
}

/** An element store over a plain list. */
function storeOf(initial: readonly IndexedElement[]) {
  const elements = new Map(initial.map((element) => [element.index, element]));
  const findLow = (value: Hash) =>
    [...elements.values()]
      .filter((element) => element.value.compare(value) < 0)
      .sort((a, b) => a.value.compare(b.value))
      .at(-1);
  return { elements, findLow };
}

describe('an initial address tree', () => {
  it.each([
    ['addressV1', '218538b88ea66ea1048ca9f773210fb54c59307e3a56cc511079b94d4b982b0f', 3n, 2],
    ['addressV2', '1c416bffd0ea3303835f3e82cab1b01ad85140b8c8195f7cf8812c6de5926a4c', 0n, 1],
  ] as const)('%s has the root, the sequence number and the next index of the chain', (type, root, seq, nextIndex) => {
    const { head } = createTree(infoOf(type), poseidon);
    expect(head.root.toString('hex')).toBe(root);
    expect([head.seq, head.nextIndex]).toEqual([seq, nextIndex]);
  });
});

/** The first ten addresses of a recorded AddressV2 tree in queue order, and the root after their batch. */
const RECORDED = [
  '000f8ee15579e49fa6a914b0e379661d1b9577881c1af1852c636ff8d293e7a9',
  '0028494b3f6e36495864ef3b37ba4c5447c7b9bb1732d9915d16d31cf8944a48',
  '00e388ecab42d87161e9a614001ecba7be44efbf193b737cdad3232ddc572017',
  '0031d425736797ea79e1984c97c9e63f3a5566e6423885d704925243e7d7d79f',
  '0003c362c2042675f28aea04fbe75714278f950a27d6d713889c63c54db2ea2b',
  '0017c063cae873e3e401d68e449ccae61f2aa04333d6d855582c6d6b1a524bd5',
  '0022d2e7a90826b27c3fb14c9e31f790374f133ffe2d4ad81406be87fe3bb4ca',
  '00c5f654daa0e692c68f92b9f9645c58b1ecc0719f0595af5603346b6ebb947a',
  '00e36e3357b7a775b3eff21206880fe63248a27acd7f10b089fe25e2f9c5cec3',
  '00ff94406a9934a0c106d72f70ddbc156d1cd736d94a069749230fd6ec939748',
].map(hash);
const RECORDED_ROOT = '226aec5af8160896a8028b6298b4aab7c2f26c767a9a7efc7a04ec9006476dd6';

describe('InsertPlan', () => {
  it('computes the root of a recorded batch', () => {
    const { head, elements, pages } = createTree(infoOf('addressV2'), poseidon);
    const plan = new InsertPlan(storeOf(elements).findLow);
    RECORDED.forEach((address, i) => plan.insert(head.nextIndex + i, address));
    const leaves = [...plan.changes()].map(
      ([index, element]) => [index, hashElement('addressV2', element, poseidon)] as const,
    );
    expect(pages.writeLeaves(new Map(leaves), 40).toString('hex')).toBe(RECORDED_ROOT);
    expect(plan.changes().get(0)).toMatchObject({ nextIndex: 5 });
    expect(plan.changes().get(4)).toMatchObject({ nextIndex: 8, nextValue: RECORDED[7] });
    expect(plan.changes().get(10)).toMatchObject({ nextIndex: 0, nextValue: MAX_ADDRESS });
  });

  it('builds the same list in one plan and in one plan per address', () => {
    const { elements } = createTree(infoOf('addressV1'), poseidon);
    const inOne = new InsertPlan(storeOf(elements).findLow);
    RECORDED.forEach((address, i) => inOne.insert(2 + i, address));
    const store = storeOf(elements);
    RECORDED.forEach((address, i) => {
      const { low, high } = new InsertPlan(store.findLow).insert(2 + i, address);
      for (const element of [low, high]) store.elements.set(element.index, element);
    });
    for (const [index, element] of inOne.changes()) expect(store.elements.get(index)).toEqual(element);
  });

  it.each([
    ['an address that is already inserted', RECORDED[0]],
    ['zero, the lowest element', be32(0)],
    ['2^248-1, the end of the range', MAX_ADDRESS],
    ['a larger address', hash('01'.padEnd(64, '0'))],
  ])('rejects %s', (_, value) => {
    const plan = new InsertPlan(storeOf(createTree(infoOf('addressV2'), poseidon).elements).findLow);
    plan.insert(1, RECORDED[0]);
    expect(() => plan.insert(2, value)).toThrow(TreeMismatchError);
  });
});

describe('classifySequence', () => {
  it.each([
    [4n, 5n, 3n, 'next'],
    [4n, 5n, 5n, 'duplicate'],
    [2n, 3n, 5n, 'duplicate'],
    [6n, 7n, 3n, 'gap'],
    [4n, 5n, 4n, 'gap'],
  ] as const)('classifies steps %s to %s after %s as %s', (first, last, applied, expected) => {
    expect(classifySequence(first, last, applied)).toBe(expected);
  });
});

describe('unservableReasonOf', () => {
  const slot = toSlot(1000);
  const headWith = (changes: Partial<TreeHead>, observed: Partial<AddressTreeInfo['observed']> = {}) => {
    const info = infoOf('addressV1');
    const { head } = createTree({ ...info, observed: { ...info.observed, ...observed } }, poseidon);
    return { ...head, ...changes };
  };
  const codeOf = (head: TreeHead, acceptGaps = false) => unservableReasonOf(head, slot, acceptGaps)?.code ?? null;

  it('returns null for a tree that is in its initial state on the chain', () => {
    expect(codeOf(headWith({}))).toBeNull();
  });

  it('reports a tree that was changed before the first indexed slot, until its first operation is applied', () => {
    expect(codeOf(headWith({}, { seq: 9n, slot: toSlot(2000) }))).toBe('history-not-indexed');
    expect(
      codeOf(headWith({ seq: 5n, seen: { ...NO_POSITIONS, seq: 5n } }, { seq: 9n, slot: toSlot(2000) })),
    ).toBeNull();
  });

  it('reports a tree whose first indexed operation was not its first operation', () => {
    expect(codeOf(headWith({ seen: { ...NO_POSITIONS, seq: 91n } }))).toBe('history-not-indexed');
  });

  it('reports a tree with a gap, and one that is behind its observed account', () => {
    expect(codeOf(headWith({ seq: 5n, seen: { ...NO_POSITIONS, seq: 9n } }))).toBe('operations-missing');
    expect(codeOf(headWith({ seq: 5n, seen: { ...NO_POSITIONS, seq: 5n } }, { seq: 9n, slot }))).toBe(
      'operations-missing',
    );
  });

  it('ignores gaps if they are accepted, but not a quarantine', () => {
    expect(codeOf(headWith({ seq: 5n, seen: { ...NO_POSITIONS, seq: 9n, queueEnd: 4n } }), true)).toBeNull();
    expect(codeOf(headWith({ quarantineReason: 'root differs' }), true)).toBe('quarantined');
  });
});
