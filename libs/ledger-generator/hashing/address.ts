import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { bytesToField, truncatedKeccak } from './field';

/** An address with its seed, which instructions contain. */
export interface DerivedAddress {
  /** 32 bytes. */
  seed: Hash;
  /** 32 bytes, big endian; the first is zero. */
  address: Hash;
}

/** Address in a V1 tree: the seed commits to the program. */
export function deriveAddressV1(tree: Pubkey, program: Pubkey, userSeeds: readonly Buffer[]): DerivedAddress {
  const seed = truncatedKeccak(program, ...userSeeds);
  return { seed, address: bytesToField(tree, seed) };
}

/** Address in a V2 tree: the address itself commits to the program. */
export function deriveAddressV2(tree: Pubkey, program: Pubkey, userSeeds: readonly Buffer[]): DerivedAddress {
  const seed = bytesToField(...userSeeds);
  return { seed, address: bytesToField(seed, tree, program) };
}
