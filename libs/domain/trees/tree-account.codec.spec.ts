import { type Hash, MalformedBytesError, parsePubkey, toSlot, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { compareWithHistory, parseTreeAccount, TREE_DISCRIMINATORS, TREE_HEADER_BYTES } from './tree-account.codec';

const TREE = parsePubkey('EzKE84aVTkCUhDHLELqyJaq1Y7UVVmqxXqZjVHwHY3rK');
const OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');
const QUEUE = parsePubkey('aq1S9z4reTSQAdgWHGD2zDaS39sjGrAxbR31vxJ2F4F');
const ROOT = Buffer.alloc(32, 9);
const SLOT = toSlot(77);

function v1Account(discriminator: Buffer): Buffer {
  const roots = 384 + 32 * 26 + 872 * 1400;
  const data = Buffer.alloc(roots + 32 * 2400);
  discriminator.copy(data, 0);
  OWNER.copy(data, 8);
  QUEUE.copy(data, 160);
  data.writeBigUInt64LE(26n, 224);
  data.writeBigUInt64LE(123n, 240);
  data.writeBigUInt64LE(2n ** 53n + 1n, 248);
  data.writeBigUInt64LE(1400n, 304);
  data.writeBigUInt64LE(2400n, 336);
  data.writeBigUInt64LE(7n, 360);
  ROOT.copy(data, roots + 32 * 7);
  return data;
}

function v2Account(type: bigint): Buffer {
  const data = Buffer.alloc(TREE_HEADER_BYTES + 32 * 20);
  TREE_DISCRIMINATORS.v2.copy(data, 0);
  data.writeBigUInt64LE(type, 8);
  OWNER.copy(data, 16);
  data.writeBigUInt64LE(20n, 232);
  data.writeBigUInt64LE(201n, 240);
  data.writeUInt32LE(40, 248);
  data.writeUInt32LE(20, 252);
  data.writeBigUInt64LE(260n, 312);
  data.writeBigUInt64LE(0n, 680);
  ROOT.copy(data, TREE_HEADER_BYTES + 32 * 19);
  return data;
}

describe('parseTreeAccount', () => {
  it('reads a V1 address tree with its current root', () => {
    expect(parseTreeAccount(TREE, v1Account(TREE_DISCRIMINATORS.addressV1), SLOT)).toEqual({
      tree: TREE,
      queue: QUEUE,
      type: 'addressV1',
      height: 26,
      rootHistoryCapacity: 2400,
      owner: OWNER,
      observed: { slot: SLOT, seq: 2n ** 53n + 1n, nextIndex: 123n, queueEnd: 0n, inputQueueEnd: 0n, root: ROOT },
    });
  });

  it('reads a header without roots', () => {
    const header = v1Account(TREE_DISCRIMINATORS.stateV1).subarray(0, TREE_HEADER_BYTES);
    expect(parseTreeAccount(TREE, header, SLOT)).toMatchObject({ type: 'stateV1', observed: { root: null } });
  });

  it('reads a V2 address tree: it is its own queue, and its newest root is before the next one to write', () => {
    expect(parseTreeAccount(TREE, v2Account(4n), SLOT)).toEqual({
      tree: TREE,
      queue: TREE,
      type: 'addressV2',
      height: 40,
      rootHistoryCapacity: 20,
      owner: OWNER,
      observed: { slot: SLOT, seq: 20n, nextIndex: 201n, queueEnd: 260n, inputQueueEnd: 0n, root: ROOT },
    });
  });

  it('reads a V2 state tree with its output queue, and the end of its input queue', () => {
    const data = v2Account(3n);
    QUEUE.copy(data, 168);
    expect(parseTreeAccount(TREE, data, SLOT)).toMatchObject({
      type: 'stateV2',
      queue: QUEUE,
      observed: { queueEnd: 0n, inputQueueEnd: 260n },
    });
  });

  it('returns null for accounts that are not trees', () => {
    expect(parseTreeAccount(TREE, Buffer.alloc(0), SLOT)).toBeNull();
    expect(parseTreeAccount(TREE, Buffer.from('queueacc'.padEnd(800, '\0')), SLOT)).toBeNull();
    expect(parseTreeAccount(TREE, v2Account(1n), SLOT)).toBeNull();
  });

  it('rejects malformed accounts with the discriminator of a tree', () => {
    const broken = v2Account(4n);
    broken.writeUInt32LE(0, 252);
    expect(() => parseTreeAccount(TREE, broken, SLOT)).toThrow(MalformedBytesError);
    expect(() => parseTreeAccount(TREE, TREE_DISCRIMINATORS.stateV1, SLOT)).toThrow(MalformedBytesError);
    expect(ZERO_PUBKEY).toHaveLength(32);
  });
});

describe('compareWithHistory', () => {
  const OLDER = Buffer.alloc(32, 5) as Hash;
  const account = v2Account(4n); // the root of seq 20 is at 19, the last place of the ring
  OLDER.copy(account, TREE_HEADER_BYTES + 32 * 9);
  const root = ROOT as Hash;

  it.each([
    ['the current root', 20n, root, 'equal'],
    ['another root', 20n, OLDER, 'different'],
    ['an older root', 10n, OLDER, 'equal'],
    ['another root at an older sequence number', 10n, root, 'different'],
    ['a root that the chain has cleared', 11n, root, 'not-in-history'],
    ['a root that the ring no longer has', 0n, root, 'not-in-history'],
    ['a sequence number that the chain has not reached', 21n, root, 'different'],
  ])('of a V2 tree: %s', (_, seq, computed, expected) => {
    expect(compareWithHistory(account, { seq, root: computed })).toBe(expected);
  });

  it('of a V1 tree, also where the ring has started again', () => {
    const seq = 2n ** 53n + 1n; // its root is at 7
    const v1 = v1Account(TREE_DISCRIMINATORS.addressV1);
    OLDER.copy(v1, v1.length - 32);
    const compare = (age: bigint, computed: Hash) => compareWithHistory(v1, { seq: seq - age, root: computed });
    expect([
      compare(0n, root),
      compare(0n, OLDER),
      compare(8n, OLDER),
      compare(9n, OLDER),
      compare(2_400n, root),
    ]).toEqual(['equal', 'different', 'equal', 'not-in-history', 'not-in-history']);
  });

  it('rejects an account without its roots', () => {
    const header = account.subarray(0, TREE_HEADER_BYTES);
    expect(() => compareWithHistory(header, { seq: 20n, root })).toThrow(MalformedBytesError);
    expect(() => compareWithHistory(header.subarray(0, 100), { seq: 20n, root })).toThrow(MalformedBytesError);
  });
});
