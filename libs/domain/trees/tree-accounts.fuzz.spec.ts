import { MalformedBytesError, toHash, toSlot } from '@fresnel/domain/primitives';
import { testAddressTree } from '@fresnel/testing/address-trees';
import { encodeNullifierQueueAccount, encodeQueueAccount, encodeTreeAccount } from '@fresnel/testing/chain';
import { fuzz, hostileBytes } from '@fresnel/testing/generic';
import { testStateTree } from '@fresnel/testing/trees';
import { parseNullifierQueue, parseOutputQueueEnd } from './queue-account.codec';
import { compareWithHistory, parseTreeAccount } from './tree-account.codec';
import { MAX_HEIGHT } from './zero-subtrees';

const TREES = [
  testStateTree('stateV1'),
  testStateTree('stateV2'),
  testAddressTree('addressV1'),
  testAddressTree('addressV2'),
].map((info) => ({ ...info, rootHistoryCapacity: 6 }));
const [{ tree }] = TREES;
const ROOT = toHash(Buffer.alloc(32, 9));
const TREE_ACCOUNTS = hostileBytes(TREES.map(encodeTreeAccount));
const QUEUE_ACCOUNTS = hostileBytes(
  TREES.flatMap((info) => [encodeQueueAccount(info, 77n), encodeNullifierQueueAccount(info, [ROOT], [ROOT])]),
);

describe('parseTreeAccount', () => {
  it('gives a possible tree, null or a MalformedBytesError for any bytes', () => {
    fuzz(
      TREE_ACCOUNTS,
      (data) => {
        const info = parseTreeAccount(tree, data, toSlot(7));
        if (!info) return;
        expect(info.height).toBeGreaterThanOrEqual(1);
        expect(info.height).toBeLessThanOrEqual(MAX_HEIGHT);
        expect(info.rootHistoryCapacity).toBeGreaterThanOrEqual(1);
        expect(info.observed.root?.length ?? 32).toBe(32);
      },
      { throws: [MalformedBytesError] },
    );
  });
});

describe('compareWithHistory', () => {
  it('compares or throws MalformedBytesError for any bytes and sequence number', () => {
    fuzz(
      TREE_ACCOUNTS,
      (data) => {
        for (const seq of [0n, 1n, 2n ** 64n - 1n]) compareWithHistory(data, { seq, root: ROOT });
      },
      { throws: [MalformedBytesError] },
    );
  });
});

describe('the readers of queue accounts', () => {
  it('give a value, null or a MalformedBytesError for any bytes', () => {
    fuzz(
      QUEUE_ACCOUNTS,
      (data) => {
        const hashes = parseNullifierQueue(data) ?? [];
        expect(hashes.length * 48).toBeLessThanOrEqual(data.length);
        parseOutputQueueEnd(data);
      },
      { throws: [MalformedBytesError] },
    );
  });
});
