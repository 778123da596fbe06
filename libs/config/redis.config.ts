import { address } from '@fresnel/platform';
import { mandatory } from './required';

/** The Redis of trees and rate limits. */
export const REDIS_CONFIG = {
  REDIS_URL: mandatory(address('redis:', 'rediss:')({ default: undefined, desc: 'Redis to use; rediss: for TLS' })),
};
