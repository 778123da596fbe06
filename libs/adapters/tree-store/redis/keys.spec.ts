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

describe('keys of trees', () => {
  it('have only the tree as their hash tag', () => {
    for (const tree of trees) {
      const names = keyspaces.flatMap((keyspace) => namesOf(keyspace.ofTree(tree)));
      expect(names.map(hashTagOf)).toEqual(names.map(() => toBase58(tree)));
    }
  });

  it('have the same hash tag while the tree is loaded, and a name of their own in each load', () => {
    const names = ['a', 'b'].flatMap((load) => namesOf(keys.ofLoad(trees[0], load)));
    expect(new Set(names.map(hashTagOf))).toEqual(new Set([toBase58(trees[0])]));
    expect(new Set([...names, ...namesOf(keys.ofTree(trees[0]))]).size).toBe(6 + 6 + 7);
  });

  it('are unique', () => {
    const names = [...trees.map((tree) => keys.ofTree(tree)), { marks: keys.marks }].flatMap(namesOf);
    expect(new Set(names).size).toBe(names.length);
  });

  it('start with the prefix, and differ between prefixes and between topics', () => {
    const names = keyspaces.map((keyspace) => [keyspace.ofTree(trees[0]), { marks: keyspace.marks }].flatMap(namesOf));
    expect(new Set(names.flat()).size).toBe(names.flat().length);
    expect(names[1]).toEqual(names[0].map((name) => `staging:${name}`));
  });
});
