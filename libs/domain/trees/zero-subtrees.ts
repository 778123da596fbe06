import { type Hash, type Hasher, ZERO_HASH } from '@fresnel/domain/primitives';

/** The tallest tree: AddressV2. */
export const MAX_HEIGHT = 40;

const known = new WeakMap<Hasher, Hash[]>();

/**
 * Roots of all-zero subtrees: entry 0 is the empty leaf, entry n+1 = H(entry n, entry n), up to MAX_HEIGHT.
 *
 * Computed once for a hasher (40 hashes).
 */
export function zeroSubtrees(hasher: Hasher): readonly Hash[] {
  let roots = known.get(hasher);
  if (!roots) {
    roots = [ZERO_HASH];
    for (let height = 0; height < MAX_HEIGHT; height++) roots.push(hasher([roots[height], roots[height]]));
    known.set(hasher, roots);
  }
  return roots;
}
