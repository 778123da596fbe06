import { address, required } from '@fresnel/platform';
import { makeValidator } from 'envalid';

/** Braces would end up in the hash tags by which Redis Cluster places keys. */
const keyPrefix = makeValidator<string>((value) => {
  if (/[{}\s]/.test(value)) throw new Error('no braces and no spaces');
  return value;
});

/** The Redis of trees and rate limits. */
export const REDIS_CONFIG = {
  REDIS_URL: required(address('redis:', 'rediss:')({ default: undefined, desc: 'Redis server; rediss: for TLS' })),
  REDIS_KEY_PREFIX: {
    ...keyPrefix({ default: '', desc: 'Prefix of all keys; lets deployments share a Redis' }),
    defaultInWords: 'none',
  },
};
