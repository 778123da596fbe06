import { CONSUMER_CONFIG, HASH_CONFIG, KAFKA_CONFIG, REDIS_CONFIG, TREE_CONFIG } from '@fresnel/config';
import { PROVER_CONFIG } from '@fresnel/features/prover';
import { type ConfigOf, HEALTH_CONFIG, SERVICE_CONFIG } from '@fresnel/platform';

/** Every environment variable of the prover. */
export const APP_CONFIG = {
  ...PROVER_CONFIG,
  ...TREE_CONFIG,
  ...HASH_CONFIG,
  ...KAFKA_CONFIG,
  ...CONSUMER_CONFIG,
  ...REDIS_CONFIG,
  ...HEALTH_CONFIG,
  ...SERVICE_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
