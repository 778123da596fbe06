import { CHAIN_CONFIG, DATABASE_CONFIG } from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { address, type ConfigOf, flag, SERVICE_CONFIG, text } from '@fresnel/platform';

/** Every environment variable of the standalone app. */
export const APP_CONFIG = {
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

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
