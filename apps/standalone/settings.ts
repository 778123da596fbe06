import { GATEWAY_SETTINGS, toGatewayOptions } from '@fresnel/features/gateway';
import { address, flag, type LogLevel, readSettings, SERVICE_SETTINGS, text } from '@fresnel/platform';
import { CHAIN_SETTINGS, type ChainSettings, DATABASE_SETTINGS, toChainSettings } from '@fresnel/settings';

/** Every setting: its bounds, its default, and a sentence for people. */
export const SETTINGS = {
  ...CHAIN_SETTINGS,
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
  ...DATABASE_SETTINGS,
  ...GATEWAY_SETTINGS,
  ...SERVICE_SETTINGS,
};

/** The settings as the rest of the app uses them. */
export interface StandaloneSettings extends ChainSettings {
  acceptTreeGaps: boolean;
  /** Undefined: the command chooses. */
  dataDir: string | undefined;
  databaseUrl: string | undefined;
  poolSize: number;
  readConnections: number;
  gateway: ReturnType<typeof toGatewayOptions>;
  logLevel: LogLevel;
}

/** Reads and checks all settings. @throws SettingsError that lists every problem */
export function readStandaloneSettings(): StandaloneSettings {
  const given = readSettings(SETTINGS);
  return {
    ...toChainSettings(given),
    acceptTreeGaps: given.ACCEPT_TREE_GAPS,
    dataDir: given.FRESNEL_DATA_DIR,
    databaseUrl: given.DATABASE_URL,
    poolSize: given.DATABASE_POOL_SIZE,
    readConnections: given.GATEWAY_READ_CONNECTIONS,
    gateway: toGatewayOptions(given),
    logLevel: given.LOG_LEVEL,
  };
}
