import { type ConfigOf, host, integer, oneOf } from '@fresnel/platform';

/** What a prover process does: serve proofs, write the trees, or both. */
const PROVER_ROLES = ['both', 'reader', 'writer'] as const;

export type ProverRole = (typeof PROVER_ROLES)[number];

/** Environment variables of a separate prover process. */
export const PROVER_CONFIG = {
  PROVER_ROLE: oneOf(PROVER_ROLES)({
    default: 'both',
    desc: 'One of both, reader, writer: readers serve proofs, writers apply tree-updates',
  }),
  PROVER_HOST: host({ default: '127.0.0.1', desc: 'Host that the prover listens on; 0.0.0.0 for all interfaces' }),
  PROVER_PORT: integer(0, 65_535)({ default: 50_051, desc: 'Port that the prover listens on; 0 for any free port' }),
  PROVER_MAX_WAIT_MS: integer(
    0,
    60_000,
  )({
    default: 5_000,
    desc: 'Maximum time that a request waits for the trees to reach its slot',
  }),
  PROVER_MAX_WAIT_SLOTS: integer(
    0,
    1_000_000,
  )({
    default: 1_500,
    desc: 'Lag of a tree, in slots, above which requests are refused at once if it has lasted for PROVER_MAX_WAIT_MS',
  }),
  PROVER_MAX_CONNECTION_AGE_MS: integer(
    1_000,
    86_400_000,
  )({
    // Give or take a tenth, so that a new prover serves requests within a minute.
    default: 45_000,
    desc: 'Age at which connections are closed, so that clients reconnect and find new provers',
  }),
};

export type ProverConfig = ConfigOf<typeof PROVER_CONFIG>;
