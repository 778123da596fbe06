import { CONSUMER_CONFIG, DATABASE_CONFIG, WORKER_CONFIG, KAFKA_CONFIG, TOKEN_PROGRAM_CONFIG } from '@fresnel/config';
import { type ConfigOf, HEALTH_CONFIG, required, SERVICE_CONFIG, TRACING_CONFIG } from '@fresnel/platform';

/** Every environment variable of the projector. */
export const APP_CONFIG = {
  ...KAFKA_CONFIG,
  ...CONSUMER_CONFIG,
  ...DATABASE_CONFIG,
  DATABASE_URL: required(DATABASE_CONFIG.DATABASE_URL),
  ...TOKEN_PROGRAM_CONFIG,
  ...WORKER_CONFIG,
  ...HEALTH_CONFIG,
  ...SERVICE_CONFIG,
  ...TRACING_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
