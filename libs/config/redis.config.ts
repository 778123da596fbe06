import { address, integer, required, secret } from '@fresnel/platform';
import { makeValidator } from 'envalid';

/** Redis Cluster treats text in braces as a hash tag, so a prefix must not contain braces. */
const keyPrefix = makeValidator<string>((value) => {
  if (/[{}\s]/.test(value)) throw new Error('no braces and no spaces');
  return value;
});

/** A replica of the Redis, for processes that read proofs. */
export const REDIS_READ_CONFIG = {
  REDIS_READ_URL: {
    ...secret(address('redis:', 'rediss:')({ default: undefined, desc: 'Redis for reading proofs: a replica' })),
    defaultInWords: 'REDIS_URL',
  },
};

/** The Redis of processes that read and write trees. */
export const REDIS_TREES_CONFIG = {
  REDIS_TIMEOUT_MS: integer(
    100,
    60_000,
  )({ default: 2_000, desc: 'Time after which a prover gives up a command that Redis does not answer' }),
};

/** The Redis of trees and rate limits. */
export const REDIS_CONFIG = {
  REDIS_URL: secret(
    required(address('redis:', 'rediss:')({ default: undefined, desc: 'Redis server; rediss: for TLS' })),
  ),
  REDIS_KEY_PREFIX: {
    ...keyPrefix({ default: '', desc: 'Prefix of all keys; lets deployments share a Redis' }),
    defaultInWords: 'none',
  },
};
