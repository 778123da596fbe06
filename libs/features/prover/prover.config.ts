import { flag, integer, text } from '@fresnel/platform';

/** Settings of a prover that runs by itself. */
export const PROVER_CONFIG = {
  PROVER_HOST: text({ default: '127.0.0.1', desc: 'Where the prover listens; 0.0.0.0 for all interfaces' }),
  PROVER_PORT: integer(0, 65_535)({ default: 50_051, desc: 'Port of the prover; 0 takes a free one' }),
  PROVER_MAX_WAIT_MS: integer(
    0,
    60_000,
  )({
    default: 5_000,
    desc: 'How long a request may wait for a slot that the tables have and the trees have not yet',
  }),
  PROVER_MAX_CONNECTION_AGE_MS: integer(
    1_000,
    86_400_000,
  )({
    default: 60_000,
    desc: 'After so long a client connects anew, so that it hears of new provers',
  }),
  ACCEPT_TREE_GAPS: flag({
    default: false,
    desc: 'Serve proofs from trees of which a part was never seen; for recordings that begin inside a tree’s life',
  }),
};
