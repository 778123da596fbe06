import { integer } from '@fresnel/platform';

/** How much is hashed at the same time. */
export const HASH_CONFIG = {
  HASH_THREADS: integer(1, 64)({ default: 2, desc: 'Maximum number of threads that hash large batches' }),
};
