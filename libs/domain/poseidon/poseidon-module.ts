/** Groups of inputs that one call of a module hashes. */
export const MAX_GROUPS = 256;

/** An implementation of the hash function. */
export interface PoseidonModule {
  /**
   * @param arity inputs of each hash, 1 to 12
   * @param parts whose bytes are the inputs of `groups` hashes, group after group
   * @param groups at most MAX_GROUPS
   * @returns the hashes; null if an input is not below the modulus
   */
  hash(arity: number, parts: readonly Buffer[], groups: number): Buffer | null;
}
