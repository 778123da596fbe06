import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toBase58, toPubkey } from '@fresnel/domain/primitives';
import { generatedTrees } from '@fresnel/ledger-generator';
import { fuzz, hostileJson } from '@fresnel/testing/generic';
import { formatTreesFile, readTreesFile, TreesFileError } from './trees-file';

const [STATE_V1, , , , ADDRESS_V1] = generatedTrees();
const OWNER = STATE_V1.owner ?? toPubkey(Buffer.alloc(32));

/** A valid entry. */
const ENTRY = {
  tree: toBase58(STATE_V1.tree),
  queue: toBase58(STATE_V1.queue),
  type: 'stateV1',
  height: 26,
  rootHistoryCapacity: 2400,
  owner: toBase58(OWNER),
  initial: { sequenceNumber: 0, nextIndex: 0 },
};

describe('readTreesFile', () => {
  let folder: string;
  let path: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-trees-'));
    path = join(folder, 'trees.json');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const read = (content: unknown, owner = null as typeof OWNER | null) => {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return readTreesFile(path, owner);
  };

  it('reads trees with their initial state', () => {
    const { tree, queue } = ADDRESS_V1;
    const address = {
      ...ENTRY,
      tree: toBase58(tree),
      queue: toBase58(queue),
      type: 'addressV1',
      initial: { sequenceNumber: 3, nextIndex: Number.MAX_SAFE_INTEGER },
    };
    const observed = { slot: 0, seq: 0n, nextIndex: 0n, queueEnd: 0n, inputQueueEnd: 0n, root: null };
    const common = { height: 26, rootHistoryCapacity: 2400, owner: OWNER };
    expect(read([ENTRY, address])).toEqual([
      { ...common, tree: STATE_V1.tree, queue: STATE_V1.queue, type: 'stateV1', observed },
      { ...common, tree, queue, type: 'addressV1', observed: { ...observed, seq: 3n, nextIndex: 2n ** 53n - 1n } },
    ]);
  });

  it.each(['stateV1', 'addressV1', 'stateV2', 'addressV2'])('accepts the type %s', (type) => {
    expect(read([{ ...ENTRY, type }])).toMatchObject([{ type }]);
  });

  it('reads an empty list', () => {
    expect(read([])).toEqual([]);
  });

  it.each([
    ['all owners', null, ['own', 'other', 'none']],
    ['one owner and without an owner, and ignores trees of others', OWNER, ['own', 'none']],
  ])('reads the trees of %s', (_, owner, expected) => {
    const keys = { own: Buffer.alloc(32, 1), other: Buffer.alloc(32, 2), none: Buffer.alloc(32, 3) };
    const entries = [
      { ...ENTRY, tree: toBase58(keys.own) },
      { ...ENTRY, tree: toBase58(keys.other), owner: toBase58(keys.other) },
      { ...ENTRY, tree: toBase58(keys.none), owner: undefined },
    ];
    const found = read(entries, owner).map(({ tree }) => tree);
    const names = Object.entries(keys).filter(([, key]) => found.some((tree) => tree.equals(key)));
    expect(names.map(([name]) => name)).toEqual(expected);
  });

  it.each([
    ['invalid JSON', '[{]', /trees\.json: .*JSON/],
    ['an empty file', '', /trees\.json: .*JSON/],
    ['an object', {}, /trees\.json: expected an array/],
    ['null', null, /trees\.json: expected an array/],
  ])('rejects a file with %s', (_, content, message) => {
    expect(() => read(content)).toThrow(TreesFileError);
    expect(() => read(content)).toThrow(message);
  });

  it('rejects a missing file', () => {
    const missing = join(folder, 'missing.json');
    expect(() => readTreesFile(missing, null)).toThrow(TreesFileError);
    expect(() => readTreesFile(missing, null)).toThrow(/missing\.json: .*no such file/);
  });

  it.each([
    ['that is a string', 'tree', /expected an object/],
    ['that is null', null, /expected an object/],
    ['without a tree', { ...ENTRY, tree: undefined }, /tree: expected a string/],
    ['with a tree that is not a key', { ...ENTRY, tree: 'abc' }, /tree: .*32 bytes/],
    ['with a tree that is not base58', { ...ENTRY, tree: '0'.repeat(32) }, /tree: /],
    ['with a queue that is a number', { ...ENTRY, queue: 5 }, /queue: expected a string/],
    ['with an owner that is not a key', { ...ENTRY, owner: 'alice' }, /owner: /],
    ['with an owner that is a number', { ...ENTRY, owner: 0 }, /owner: expected a string/],
    ['without a type', { ...ENTRY, type: undefined }, /type: expected a string/],
    ['with an unknown type', { ...ENTRY, type: 'stateV3' }, /type: stateV3 is not one of stateV1, addressV1, stateV2/],
    [
      'with a type that is a member of every object',
      { ...ENTRY, type: 'constructor' },
      /type: constructor is not one of/,
    ],
    ['without a height', { ...ENTRY, height: undefined }, /height: expected a number/],
    ['with a height of 0', { ...ENTRY, height: 0 }, /height: 0 is not an integer from 1 to \d+/],
    ['with a height above the maximum', { ...ENTRY, height: 256 }, /height: 256 is not an integer from 1 to \d+/],
    ['with a fractional height', { ...ENTRY, height: 26.5 }, /height: 26\.5 is not/],
    ['without roots', { ...ENTRY, rootHistoryCapacity: 0 }, /rootHistoryCapacity: 0 is not/],
    ['without an initial state', { ...ENTRY, initial: undefined }, /initial: expected an object/],
    [
      'with a string as a number',
      { ...ENTRY, initial: { sequenceNumber: '0', nextIndex: 0 } },
      /sequenceNumber: expected a/,
    ],
    ['with a negative number', { ...ENTRY, initial: { sequenceNumber: -1, nextIndex: 0 } }, /sequenceNumber: -1 is/],
    [
      'with a number above the safe integers',
      { ...ENTRY, initial: { sequenceNumber: 0, nextIndex: 2 ** 53 } },
      /nextIndex: 9/,
    ],
    ['without a next index', { ...ENTRY, initial: { sequenceNumber: 0 } }, /nextIndex: expected a number/],
  ])('rejects an entry %s, and names its position', (_, entry, message) => {
    expect(() => read([ENTRY, entry])).toThrow(TreesFileError);
    expect(() => read([ENTRY, entry])).toThrow(/trees\.json, entry 2: /);
    expect(() => read([ENTRY, entry])).toThrow(message);
  });

  it('reads trees that are written to the same, or rejects the file, for any text', () => {
    fuzz(
      hostileJson([JSON.stringify([ENTRY, { ...ENTRY, owner: null, type: 'addressV2' }])]),
      (content) => {
        const trees = read(content);
        expect(read(formatTreesFile(trees))).toEqual(trees);
      },
      { throws: [TreesFileError] },
    );
  });
});
