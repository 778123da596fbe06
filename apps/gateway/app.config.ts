import {
  ADDRESS_TREE_CONFIG,
  CHAIN_CONFIG,
  DATABASE_CONFIG,
  PROVER_ADDRESS_CONFIG,
  PROVER_TLS_CONFIG,
  READ_DATABASE_CONFIG,
  REDIS_CONFIG,
  TREE_CONFIG,
  VALIDITY_PROVER_CONFIG,
} from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import {
  type ConfigOf,
  DRAIN_CONFIG,
  HEALTH_CONFIG,
  required,
  requiredIf,
  SERVICE_CONFIG,
  TRACING_CONFIG,
} from '@fresnel/platform';

/** Every environment variable of the gateway. */
export const APP_CONFIG = {
  ...GATEWAY_CONFIG,
  ...ADDRESS_TREE_CONFIG,
  ...TREE_CONFIG,
  SOLANA_RPC_URL: requiredIf(
    CHAIN_CONFIG.SOLANA_RPC_URL,
    'with UPSTREAM_RPC_PASSTHROUGH',
    ({ UPSTREAM_RPC_PASSTHROUGH: methods }) => methods !== undefined,
  ),
  SOLANA_COMMITMENT: CHAIN_CONFIG.SOLANA_COMMITMENT,
  DATABASE_URL: required(DATABASE_CONFIG.DATABASE_URL),
  ...READ_DATABASE_CONFIG,
  ...PROVER_ADDRESS_CONFIG,
  ...PROVER_TLS_CONFIG,
  ...VALIDITY_PROVER_CONFIG,
  ...REDIS_CONFIG,
  ...HEALTH_CONFIG,
  ...DRAIN_CONFIG,
  ...SERVICE_CONFIG,
  ...TRACING_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
