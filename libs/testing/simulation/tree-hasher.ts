import { rememberedPoseidon, treeHasherOf } from '@fresnel/testing/address-trees';

/** The hash function of ZK Compression, on the calling thread. All seeds of a chain compute the same hashes. */
export const treeHasher = treeHasherOf(rememberedPoseidon);
