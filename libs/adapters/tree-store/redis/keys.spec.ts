import { toBase58, toPubkey } from '@fresnel/domain/primitives';
import { keysOfPartition, keysOfTree } from './keys';

/** What a cluster looks at: everything between the first brace and the next that closes. */
const hashTagOf = (key: string) => /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
const namesOf = (keys: object) => Object.values(keys) as string[];

const trees = Array.from({ length: 50 }, (_, first) => toPubkey(Buffer.alloc(32, first)));
const partitions = [0, 1, 17, 'none'].map(keysOfPartition);

describe('keys of trees', () => {
  it('are placed in a cluster by the tree alone', () => {
    for (const tree of trees) {
      const names = namesOf(keysOfTree(tree));
      expect(names.map(hashTagOf)).toEqual(names.map(() => toBase58(tree)));
    }
  });

  it('are in one place for all partitions', () => {
    expect(new Set(partitions.flatMap(namesOf).map(hashTagOf))).toEqual(new Set(['partitions']));
  });

  it('are different for everything they name, but for the slots that partitions share', () => {
    const names = [...trees.map(keysOfTree), ...partitions].flatMap(namesOf);
    expect(new Set(names).size).toBe(names.length - partitions.length + 1);
  });
});
