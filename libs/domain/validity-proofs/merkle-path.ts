import { type Hash, type Hasher, keyOf } from '@fresnel/domain/primitives';

/** The root to which a path leads. @param siblings leaf level first */
export function rootOfPath(leaf: Hash, leafIndex: number, siblings: readonly Hash[], hasher: Hasher): Hash {
  let index = BigInt(leafIndex);
  let node = leaf;
  for (const sibling of siblings) {
    node = hasher((index & 1n) === 0n ? [node, sibling] : [sibling, node]);
    index >>= 1n;
  }
  return node;
}

/** A hasher that hashes the same inputs once: the upper nodes of the paths of one tree are the same. */
export function hashOnce(hasher: Hasher): Hasher {
  const known = new Map<string, Hash>();
  return (inputs) => {
    const key = inputs.map(keyOf).join('');
    const hash = known.get(key) ?? hasher(inputs);
    known.set(key, hash);
    return hash;
  };
}
