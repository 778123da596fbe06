import { CHAIN_CONFIG, DATABASE_CONFIG, READ_DATABASE_CONFIG } from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { address, secret, SERVICE_CONFIG, text } from '@fresnel/platform';

const DEFAULT_SERVER = 'a server that the stack starts in FRESNEL_DATA_DIR';

/** The environment variables that the stack reads itself. The services read more. */
export const APP_CONFIG = {
  SOLANA_RPC_URL: CHAIN_CONFIG.SOLANA_RPC_URL,
  FRESNEL_DATA_DIR: {
    ...text({ default: undefined, desc: 'Data directory of the servers that the stack starts' }),
    defaultInWords: '.fresnel/stack, or .fresnel/stack-demo for the demo ledger',
  },
  KAFKA_BROKERS: {
    ...text({ default: undefined, desc: 'Kafka brokers as host:port, separated by commas' }),
    defaultInWords: DEFAULT_SERVER,
  },
  DATABASE_URL: { ...DATABASE_CONFIG.DATABASE_URL, defaultInWords: DEFAULT_SERVER },
  DATABASE_READ_URL: {
    ...READ_DATABASE_CONFIG.DATABASE_READ_URL,
    defaultInWords: 'a read-only role of the started Postgres, or DATABASE_URL',
  },
  REDIS_URL: {
    ...secret(address('redis:', 'rediss:')({ default: undefined, desc: 'Redis server; rediss: for TLS' })),
    defaultInWords: DEFAULT_SERVER,
  },
  GATEWAY_HOST: GATEWAY_CONFIG.GATEWAY_HOST,
  GATEWAY_PORT: GATEWAY_CONFIG.GATEWAY_PORT,
  GATEWAY_WS_PORT: GATEWAY_CONFIG.GATEWAY_WS_PORT,
  UPSTREAM_RPC_PASSTHROUGH: GATEWAY_CONFIG.UPSTREAM_RPC_PASSTHROUGH,
  ...SERVICE_CONFIG,
};
