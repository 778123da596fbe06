import {
  CHAIN_CONFIG,
  DATA_DIR_CONFIG,
  DATABASE_CONFIG,
  KAFKA_CONFIG,
  READ_DATABASE_CONFIG,
  REDIS_CONFIG,
} from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { SERVICE_CONFIG } from '@fresnel/platform';

const DEFAULT_SERVER = 'a server that the stack starts in FRESNEL_DATA_DIR';

/** The environment variables that the stack reads itself. The services read more. */
export const APP_CONFIG = {
  SOLANA_RPC_URL: CHAIN_CONFIG.SOLANA_RPC_URL,
  FRESNEL_DATA_DIR: {
    ...DATA_DIR_CONFIG.FRESNEL_DATA_DIR,
    desc: 'Data directory of the servers that the stack starts',
    defaultInWords: '.fresnel/stack, or .fresnel/stack-demo for the demo ledger',
  },
  KAFKA_BROKERS: { ...KAFKA_CONFIG.KAFKA_BROKERS, default: undefined, defaultInWords: DEFAULT_SERVER },
  DATABASE_URL: { ...DATABASE_CONFIG.DATABASE_URL, defaultInWords: DEFAULT_SERVER },
  DATABASE_READ_URL: {
    ...READ_DATABASE_CONFIG.DATABASE_READ_URL,
    defaultInWords: 'a read-only role of the started Postgres, or DATABASE_URL',
  },
  REDIS_URL: { ...REDIS_CONFIG.REDIS_URL, default: undefined, defaultInWords: DEFAULT_SERVER },
  GATEWAY_HOST: GATEWAY_CONFIG.GATEWAY_HOST,
  GATEWAY_PORT: GATEWAY_CONFIG.GATEWAY_PORT,
  GATEWAY_WS_PORT: GATEWAY_CONFIG.GATEWAY_WS_PORT,
  UPSTREAM_RPC_PASSTHROUGH: GATEWAY_CONFIG.UPSTREAM_RPC_PASSTHROUGH,
  ...SERVICE_CONFIG,
};
