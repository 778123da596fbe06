import { type Hash, type Hasher } from '@fresnel/domain/primitives';

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
