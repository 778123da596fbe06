import { toBase58, toPubkey } from '@fresnel/domain/primitives';
import { TreeStoreKeys } from './keys';

/** The hash tag: the text between the first opening brace and the next closing brace. */
const hashTagOf = (key: string) => /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
const namesOf = (keys: object): string[] =>
  Object.values(keys).flatMap((key: string | object) => (typeof key === 'string' ? [key] : namesOf(key)));

const trees = Array.from({ length: 50 }, (_, first) => toPubkey(Buffer.alloc(32, first)));

/** Different keyspaces of one Redis. */
const keyspaces = [
  new TreeStoreKeys(),
  new TreeStoreKeys({ prefix: 'staging:' }),
  new TreeStoreKeys({ topicName: 'staging.tree-updates' }),
];
const keys = keyspaces[0];
const partitions = [0, 1, 17, 'none'].map((partition) => keys.ofPartition(partition));

describe('keys of trees', () => {
  it('have only the tree as their hash tag', () => {
    for (const tree of trees) {
      const names = keyspaces.flatMap((keyspace) => namesOf(keyspace.ofTree(tree)));
      expect(names.map(hashTagOf)).toEqual(names.map(() => toBase58(tree)));
    }
  });

  it('have one hash tag for all partitions', () => {
    expect(new Set(partitions.flatMap(namesOf).map(hashTagOf))).toEqual(new Set(['partitions']));
  });

  it('are unique, except the key of the slots, which all partitions share', () => {
    const names = [...trees.map((tree) => keys.ofTree(tree)), ...partitions].flatMap(namesOf);
    expect(new Set(names).size).toBe(names.length - partitions.length + 1);
  });

  it('start with the prefix, and differ between prefixes and between topics', () => {
    const names = keyspaces.map((keyspace) => [keyspace.ofTree(trees[0]), keyspace.ofPartition(0)].flatMap(namesOf));
    expect(new Set(names.flat()).size).toBe(names.flat().length);
    expect(names[1]).toEqual(names[0].map((name) => `staging:${name}`));
  });
});
