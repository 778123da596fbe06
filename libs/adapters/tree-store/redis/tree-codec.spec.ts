import { MAX_U64, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { createAddressTree, MAX_ADDRESS } from '@fresnel/domain/trees';
import { sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import fc from 'fast-check';
import {
  decodeElement,
  decodeHead,
  ELEMENT_BYTES,
  encodeElement,
  encodeHead,
  padded,
  parsePadded,
  sortableBytes,
} from './tree-codec';

const { head } = createAddressTree(testAddressTree('addressV2'), sha256);

describe('the bytes of a tree', () => {
  it.each([
    ['untouched', head],
    [
      'with an owner, and observed',
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
        seen: { seq: MAX_U64, queueEnd: MAX_U64 - 1n },
      },
    ],
    ['closed', { ...head, quarantineReason: 'it is “wrong”' }],
    [
      'changed, untrusted and closed',
      {
        ...head,
        changes: { count: 2 ** 52, lastSlot: toSlot(2 ** 53 - 1) },
        untrusted: { from: toSlot(1), to: toSlot(2 ** 53 - 1) },
        quarantineReason: 'wrong',
      },
    ],
    ['closed without a word', { ...head, quarantineReason: '' }],
  ])('give back a head that is %s', (_, given) => {
    expect(decodeHead(encodeHead(given))).toEqual(given);
  });

  it('of another version are refused, and so are some that end too early', () => {
    const bytes = encodeHead(head);
    for (const version of [0, 3]) {
      const other = Buffer.concat([Buffer.of(version), bytes.subarray(1)]);
      expect(() => decodeHead(other)).toThrow(`version ${version}`);
    }
    expect(() => decodeHead(bytes.subarray(0, -1))).toThrow('wanted');
  });

  it('of a head that does not count changes are read as those of a tree that any block may have changed', () => {
    const given = { ...head, quarantineReason: 'wrong' };
    const bytes = encodeHead(given);
    // The count and the slot, and no doubts, come before the fault.
    const rest = bytes.subarray(1, -2 * 8 - 1 - 'wrong'.length - 1);
    const fault = bytes.subarray(-'wrong'.length - 1);
    const changes = { count: 1, lastSlot: toSlot(2 ** 53 - 1) };
    expect(decodeHead(Buffer.concat([Buffer.of(1), rest, fault]))).toEqual({ ...given, changes });
  });

  it('give back an element, and begin with its value', () => {
    const element = { index: 2 ** 40 - 1, value: testAddress(1), nextIndex: 2 ** 33, nextValue: MAX_ADDRESS };
    const bytes = encodeElement(element);
    expect([bytes.length, bytes.subarray(0, 32)]).toEqual([ELEMENT_BYTES, element.value]);
    expect(decodeElement(bytes)).toEqual(element);
    expect(decodeElement(encodeElement({ ...element, value: ZERO_HASH })).value).toEqual(ZERO_HASH);
  });

  it('sort as the numbers do', () => {
    const u64 = fc.bigInt(0n, MAX_U64);
    const order = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));
    fc.assert(
      fc.property(u64, u64, (a, b) => {
        expect(sortableBytes(a).compare(sortableBytes(b))).toBe(order(a, b));
        expect(Buffer.from(padded(a)).compare(Buffer.from(padded(b)))).toBe(order(a, b));
        expect(parsePadded(Buffer.from(padded(a)))).toBe(a);
      }),
    );
  });
});
