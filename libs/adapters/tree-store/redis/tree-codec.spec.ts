import { randomUUID } from 'node:crypto';
import { MalformedBytesError, MAX_U64, toPubkey, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { createTree, MAX_ADDRESS } from '@fresnel/domain/trees';
import { sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { NEW_PARTITION } from '../tree-journal';
import { decodeElement, ELEMENT_BYTES, encodeElement, sortableBytes } from '../tree-records';
import { decodeHead, decodeMark, encodeHead, encodeMark, entryOfMark } from './tree-codec';

const { head } = createTree(testAddressTree('addressV2'), sha256);

describe('the encoding of a tree', () => {
  it.each([
    ['initial', head],
    [
      'with an owner, and with maximum observed values',
      {
        ...head,
        info: {
          ...head.info,
          owner: head.info.tree,
          observed: {
            slot: toSlot(2 ** 53 - 1),
            seq: MAX_U64,
            nextIndex: MAX_U64,
            queueEnd: MAX_U64,
            inputQueueEnd: MAX_U64 - 3n,
            root: MAX_ADDRESS,
          },
        },
      },
    ],
    [
      'with large numbers',
      {
        ...head,
        seq: 2n ** 53n + 1n,
        nextIndex: 2 ** 40,
        queueEnd: MAX_U64,
        inputQueueStart: 2n ** 60n,
        inputQueueEnd: 2n ** 61n,
        migratedSlot: toSlot(2 ** 52),
        seen: {
          seq: MAX_U64,
          queueEnd: MAX_U64 - 1n,
          inputQueueEnd: MAX_U64 - 2n,
          migratedSlot: toSlot(2 ** 53 - 1),
        },
      },
    ],
    ['quarantined', { ...head, quarantineReason: 'it is “wrong”' }],
    [
      'changed, untrusted and quarantined',
      {
        ...head,
        changes: { count: 2 ** 52, lastSlot: toSlot(2 ** 53 - 1) },
        untrusted: { from: toSlot(1), to: toSlot(2 ** 53 - 1) },
        quarantineReason: 'wrong',
      },
    ],
    ['quarantined with an empty reason', { ...head, quarantineReason: '' }],
  ])('preserves a head that is %s', (_, given) => {
    expect(decodeHead(encodeHead(given))).toEqual(given);
  });

  it('rejects a head of another version', () => {
    const bytes = encodeHead(head);
    for (const version of [0, 2]) {
      const other = Buffer.concat([Buffer.of(version), bytes.subarray(1)]);
      expect(() => decodeHead(other)).toThrow(`version ${version}`);
    }
  });

  it('rejects a truncated head', () => {
    const bytes = encodeHead(head);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeHead(bytes.subarray(0, length))).toThrow(MalformedBytesError);
    }
  });

  it('preserves an element, and starts with its value', () => {
    const element = { index: 2 ** 40 - 1, value: testAddress(1), nextIndex: 2 ** 33, nextValue: MAX_ADDRESS };
    const bytes = encodeElement(element);
    expect([bytes.length, bytes.subarray(0, 32)]).toEqual([ELEMENT_BYTES, element.value]);
    expect(decodeElement(bytes)).toEqual(element);
    expect(decodeElement(encodeElement({ ...element, value: ZERO_HASH })).value).toEqual(ZERO_HASH);
  });

  it('sorts like the numbers', () => {
    const u64 = fc.bigInt(0n, MAX_U64);
    const order = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));
    fc.assert(
      fc.property(u64, u64, (a, b) => {
        expect(sortableBytes(a).compare(sortableBytes(b))).toBe(order(a, b));
      }),
    );
  });

  describe('of a mark', () => {
    const trees = [3, 1].map((first) => ({ tree: toPubkey(Buffer.alloc(32, first)), entry: randomUUID() }));
    const partition = { ...NEW_PARTITION, entry: randomUUID(), trees };
    const block = { slot: toSlot(2 ** 53 - 1), blockhash: MAX_ADDRESS };

    it.each([
      ['with a block', { ...partition, block, hasRefused: true }],
      ['with a slot alone', { ...partition, block: { ...block, blockhash: null } }],
      ['without entries', NEW_PARTITION],
    ])('preserves one %s', (_, given) => {
      const { entry, block: stored, hasRefused } = given;
      const mark = decodeMark(encodeMark(given, 7));
      expect(mark).toMatchObject({ entry, block: stored, hasRefused, partitionCount: 7 });
      expect([...mark.trees.values()]).toEqual([...given.trees].reverse());
    });

    it('starts with the id of its entry, and does not depend on the order of the trees', () => {
      const bytes = encodeMark(partition, 1);
      expect(entryOfMark(bytes).toString()).toBe(partition.entry);
      expect(encodeMark({ ...partition, trees: [...trees].reverse() }, 1)).toEqual(bytes);
    });
  });
});
