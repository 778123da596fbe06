import { type Hash, type Hasher, ZERO_HASH } from '@fresnel/domain/primitives';

/** The height of the tallest trees, AddressV2. */
export const MAX_HEIGHT = 40;

const cache = new WeakMap<Hasher, Hash[]>();

/**
 * Roots of all-zero subtrees by height: entry 0 is the empty leaf, entry n+1 = H(entry n, entry n), up to MAX_HEIGHT.
 *
 * Computed once per hasher.
 */
export function zeroSubtrees(hasher: Hasher): readonly Hash[] {
  let roots = cache.get(hasher);
  if (!roots) {
    roots = [ZERO_HASH];
    for (let height = 0; height < MAX_HEIGHT; height++) roots.push(hasher([roots[height], roots[height]]));
    cache.set(hasher, roots);
  }
  return roots;
}
