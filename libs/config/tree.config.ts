import { flag } from '@fresnel/platform';

/** How trees are served. */
export const TREE_CONFIG = {
  ACCEPT_TREE_GAPS: flag({
    default: false,
    desc: 'Serve proofs from trees with gaps in their history; for recordings that start after a tree was created',
  }),
};
