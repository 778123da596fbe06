import { DATABASE_CONFIG, KAFKA_CONFIG, TOPIC_CONFIG } from '@fresnel/config';
import { type ConfigOf, required, SERVICE_CONFIG } from '@fresnel/platform';

/** Every environment variable of the command that waits for a migration. */
export const WAIT_CONFIG = {
  DATABASE_URL: required(DATABASE_CONFIG.DATABASE_URL),
  ...KAFKA_CONFIG,
  ...SERVICE_CONFIG,
};

export type WaitConfig = ConfigOf<typeof WAIT_CONFIG>;

/** Every environment variable of migrate. */
export const APP_CONFIG = {
  DATABASE_URL: required(DATABASE_CONFIG.DATABASE_URL),
  ...KAFKA_CONFIG,
  ...TOPIC_CONFIG,
  ...SERVICE_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
