import { CHAIN_CONFIG, DATABASE_CONFIG, WORKER_CONFIG, KAFKA_CONFIG, TREE_CONFIG } from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { SERVICE_CONFIG } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

/** Every environment variable of the commands that read or change an index beside its processes. */
export const OPERATOR_CONFIG = {
  DATABASE_URL: DATABASE_CONFIG.DATABASE_URL,
  FRESNEL_DATA_DIR: APP_CONFIG.FRESNEL_DATA_DIR,
  SOLANA_RPC_URL: {
    ...CHAIN_CONFIG.SOLANA_RPC_URL,
    desc: 'JSON-RPC endpoint of a Solana node, to ask for the chain tip',
    defaultInWords: 'the tip that ingest saw last',
  },
  SOLANA_COMMITMENT: CHAIN_CONFIG.SOLANA_COMMITMENT,
  ...TREE_CONFIG,
  ...KAFKA_CONFIG,
  KAFKA_BROKERS: {
    ...KAFKA_CONFIG.KAFKA_BROKERS,
    default: undefined,
    desc: 'Kafka brokers as host:port, separated by commas, to read the ends of the topics',
    defaultInWords: 'none: positions are shown without lag',
  },
  ...SERVICE_CONFIG,
};

/** Every environment variable of the commands that change trees. */
export const TREES_CONFIG = {
  ...OPERATOR_CONFIG,
  ...WORKER_CONFIG,
  SOLANA_RPC_URL: {
    ...OPERATOR_CONFIG.SOLANA_RPC_URL,
    desc: 'JSON-RPC endpoint of a Solana node, to compare the root of a rebuilt tree',
    defaultInWords: 'none: --without-node is required',
  },
};

/** Every environment variable of the command that compares an index with the chain and with another index. */
export const VERIFY_CONFIG = {
  ...CHAIN_CONFIG,
  ...OPERATOR_CONFIG,
  GATEWAY_PORT: GATEWAY_CONFIG.GATEWAY_PORT,
  SOLANA_RPC_URL: {
    ...OPERATOR_CONFIG.SOLANA_RPC_URL,
    desc: 'JSON-RPC endpoint of a Solana node, to compare trees, accounts and proofs with the chain',
    defaultInWords: 'none: --against is required',
  },
};
