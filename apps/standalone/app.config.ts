import {
  CHAIN_CONFIG,
  DATA_DIR_CONFIG,
  DATABASE_CONFIG,
  WORKER_CONFIG,
  TREE_CONFIG,
  VALIDITY_PROVER_CONFIG,
} from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { type ConfigOf, HEALTH_CONFIG, SERVICE_CONFIG, TRACING_CONFIG } from '@fresnel/platform';

/** Data directory of the index of a chain. */
export const DATA_DIR = '.fresnel/data';
const DEMO_DATA_DIR = '.fresnel/demo';

/** Every environment variable of the standalone app. */
export const APP_CONFIG = {
  ...CHAIN_CONFIG,
  ...TREE_CONFIG,
  ...WORKER_CONFIG,
  ...VALIDITY_PROVER_CONFIG,
  FRESNEL_DATA_DIR: {
    ...DATA_DIR_CONFIG.FRESNEL_DATA_DIR,
    defaultInWords: `${DATA_DIR}, or ${DEMO_DATA_DIR} for the demo ledger`,
  },
  ...DATABASE_CONFIG,
  ...GATEWAY_CONFIG,
  HEALTH_HOST: HEALTH_CONFIG.HEALTH_HOST,
  // Several of these processes may run on one machine, each with a GATEWAY_PORT of its own.
  HEALTH_PORT: {
    ...HEALTH_CONFIG.HEALTH_PORT,
    default: 0,
    desc: 'Port of /health and /metrics; 0 for any free port, which is logged',
  },
  ...SERVICE_CONFIG,
  ...TRACING_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;

/** The data directory that is set, or the one for the chain: without a node it is the demo ledger. */
export function dataDirOf({
  FRESNEL_DATA_DIR,
  SOLANA_RPC_URL,
}: Pick<AppConfig, 'FRESNEL_DATA_DIR' | 'SOLANA_RPC_URL'>): string {
  return FRESNEL_DATA_DIR ?? (SOLANA_RPC_URL === undefined ? DEMO_DATA_DIR : DATA_DIR);
}
