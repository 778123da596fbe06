import { integer } from '@fresnel/platform';

/** How much is computed at the same time. */
export const WORKER_CONFIG = {
  WORKER_THREADS: integer(
    1,
    64,
  )({
    default: 2,
    desc: 'Maximum number of threads that hash large batches and compress transactions',
  }),
};
