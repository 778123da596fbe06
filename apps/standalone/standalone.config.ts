import { GATEWAY_CONFIG, toGatewayOptions } from '@fresnel/features/gateway';
import { address, flag, type LogLevel, readConfig, SERVICE_CONFIG, text } from '@fresnel/platform';
import { CHAIN_CONFIG, type ChainConfig, DATABASE_CONFIG, toChainConfig } from '@fresnel/config';

/** Every setting: its bounds, its default, and a sentence for people. */
export const CONFIG = {
  ...CHAIN_CONFIG,
  ACCEPT_TREE_GAPS: flag({
    default: false,
    desc: 'Serve proofs from trees of which a part was never seen; for recordings that begin inside a tree’s life',
  }),
  VALIDITY_PROVER_URL: address(
    'http:',
    'https:',
  )({
    default: undefined,
    desc: 'Prover for validity proofs; kept for the methods that will need it, not used yet',
  }),
  FRESNEL_DATA_DIR: {
    ...text({ default: undefined, desc: 'Folder of the embedded database' }),
    defaultInWords: '.fresnel/data, or .fresnel/demo for the demo ledger',
  },
  ...DATABASE_CONFIG,
  ...GATEWAY_CONFIG,
  ...SERVICE_CONFIG,
};

/** The config as the rest of the app uses them. */
export interface StandaloneConfig extends ChainConfig {
  acceptTreeGaps: boolean;
  /** Undefined: the command chooses. */
  dataDir: string | undefined;
  databaseUrl: string | undefined;
  poolSize: number;
  readConnections: number;
  gateway: ReturnType<typeof toGatewayOptions>;
  logLevel: LogLevel;
}

/** Reads and checks all config. @throws ConfigError that lists every problem */
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
    logLevel: given.LOG_LEVEL,
  };
}
