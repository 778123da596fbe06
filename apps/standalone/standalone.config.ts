import { type RateLimit } from '@fresnel/adapters/rate-limit';
import { GATEWAY_CONFIG, type GatewayOptions, toGatewayOptions, toRateLimit } from '@fresnel/features/gateway';
import { address, flag, type LogLevel, readConfig, SERVICE_CONFIG, text } from '@fresnel/platform';
import { CHAIN_CONFIG, type ChainConfig, DATABASE_CONFIG, toChainConfig } from '@fresnel/config';

/** Every environment variable of the standalone app. */
export const CONFIG = {
  ...CHAIN_CONFIG,
  ACCEPT_TREE_GAPS: flag({
    default: false,
    desc: 'Serve proofs from trees with gaps in their history; for recordings that start after a tree was created',
  }),
  VALIDITY_PROVER_URL: address(
    'http:',
    'https:',
  )({
    default: undefined,
    desc: 'Prover for validity proofs; reserved, not used yet',
  }),
  FRESNEL_DATA_DIR: {
    ...text({ default: undefined, desc: 'Data directory of the embedded Postgres' }),
    defaultInWords: '.fresnel/data, or .fresnel/demo for the demo ledger',
  },
  ...DATABASE_CONFIG,
  ...GATEWAY_CONFIG,
  ...SERVICE_CONFIG,
};

/** The config as the app uses it. */
export interface StandaloneConfig extends ChainConfig {
  acceptTreeGaps: boolean;
  /** Undefined for the default of the command. */
  dataDir: string | undefined;
  databaseUrl: string | undefined;
  poolSize: number;
  readConnections: number;
  gateway: GatewayOptions;
  /** Null: no limit. */
  rateLimit: RateLimit | null;
  logLevel: LogLevel;
}

/** Reads and checks all environment variables. @throws ConfigError that lists all problems */
export function readStandaloneConfig(): StandaloneConfig {
  const given = readConfig(CONFIG);
  return {
    ...toChainConfig(given),
    acceptTreeGaps: given.ACCEPT_TREE_GAPS,
    dataDir: given.FRESNEL_DATA_DIR,
    databaseUrl: given.DATABASE_URL,
    poolSize: given.DATABASE_POOL_SIZE,
    readConnections: given.GATEWAY_READ_CONNECTIONS,
    gateway: toGatewayOptions(given),
    rateLimit: toRateLimit(given),
    logLevel: given.LOG_LEVEL,
  };
}
