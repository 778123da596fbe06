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

/**
 * A hasher that remembers the hashes of the inputs that were used last: the upper nodes of the paths of one tree are the same.
 *
 * @param capacity of how many inputs; 1,000 take about 250 kB
 */
export function rememberHashes(hasher: Hasher, capacity: number): Hasher {
  // As strings: a buffer of 32 bytes would keep the 8 KiB alive that Node allocated for it and others.
  const known = new Map<string, string>();
  return (inputs) => {
    const key = inputs.map(keyOf).join('');
    const remembered = known.get(key);
    const hash = remembered === undefined ? hasher(inputs) : (Buffer.from(remembered, 'latin1') as Hash);
    known.delete(key);
    known.set(key, remembered ?? keyOf(hash));
    // A map lists its keys in the order in which they were set.
    if (known.size > capacity) known.delete(known.keys().next().value as string);
    return hash;
  };
}
