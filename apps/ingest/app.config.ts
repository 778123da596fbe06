import {
  CHAIN_CONFIG,
  DATABASE_CONFIG,
  DEMO_CONFIG,
  FOLLOW_CONFIG,
  INGEST_CONFIG,
  KAFKA_CONFIG,
} from '@fresnel/config';
import { type ConfigOf, HEALTH_CONFIG, required, SERVICE_CONFIG, TRACING_CONFIG } from '@fresnel/platform';

/** Every environment variable of the command that publishes a range of slots. */
export const PUBLISH_CONFIG = {
  ...CHAIN_CONFIG,
  SOLANA_RPC_URL: {
    ...CHAIN_CONFIG.SOLANA_RPC_URL,
    requiredWhen: ({ INGEST_DEMO }: Record<string, unknown>) => INGEST_DEMO !== true,
    defaultInWords: 'none, must be set without INGEST_DEMO',
  },
  ...DEMO_CONFIG,
  ...INGEST_CONFIG,
  ...KAFKA_CONFIG,
  DATABASE_URL: required(DATABASE_CONFIG.DATABASE_URL),
  DATABASE_WRITE_TIMEOUT_MS: DATABASE_CONFIG.DATABASE_WRITE_TIMEOUT_MS,
  ...SERVICE_CONFIG,
  ...TRACING_CONFIG,
};

export type PublishConfig = ConfigOf<typeof PUBLISH_CONFIG>;

/** Every environment variable of the ingest. */
export const APP_CONFIG = {
  ...PUBLISH_CONFIG,
  ...FOLLOW_CONFIG,
  ...HEALTH_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
