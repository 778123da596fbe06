import { CHAIN_CONFIG, DATABASE_CONFIG, HASH_CONFIG, TREE_CONFIG } from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { address, type ConfigOf, HEALTH_CONFIG, SERVICE_CONFIG, text } from '@fresnel/platform';

/** Every environment variable of the standalone app. */
export const APP_CONFIG = {
  ...CHAIN_CONFIG,
  ...TREE_CONFIG,
  ...HASH_CONFIG,
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
  ...HEALTH_CONFIG,
  ...SERVICE_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
