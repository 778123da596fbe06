import {
  CONSUMER_CONFIG,
  DATABASE_CONFIG,
  WORKER_CONFIG,
  KAFKA_CONFIG,
  PROVER_TLS_CONFIG,
  REDIS_CONFIG,
  REDIS_READ_CONFIG,
  REDIS_TREES_CONFIG,
  TREE_CONFIG,
} from '@fresnel/config';
import { PROVER_CONFIG } from '@fresnel/features/prover';
import {
  type ConfigOf,
  DRAIN_CONFIG,
  HEALTH_CONFIG,
  requiredIf,
  SERVICE_CONFIG,
  TRACING_CONFIG,
} from '@fresnel/platform';

const CONDITION = 'unless PROVER_ROLE is reader';
const isWriter = ({ PROVER_ROLE: role }: Record<string, unknown>) => role !== 'reader';

/** Every environment variable of the prover. */
export const APP_CONFIG = {
  ...PROVER_CONFIG,
  ...PROVER_TLS_CONFIG,
  ...TREE_CONFIG,
  ...WORKER_CONFIG,
  ...KAFKA_CONFIG,
  KAFKA_BROKERS: requiredIf({ ...KAFKA_CONFIG.KAFKA_BROKERS, default: undefined }, CONDITION, isWriter),
  ...CONSUMER_CONFIG,
  ...DATABASE_CONFIG,
  DATABASE_URL: requiredIf(DATABASE_CONFIG.DATABASE_URL, CONDITION, isWriter),
  ...REDIS_CONFIG,
  ...REDIS_TREES_CONFIG,
  ...REDIS_READ_CONFIG,
  ...HEALTH_CONFIG,
  ...DRAIN_CONFIG,
  ...SERVICE_CONFIG,
  ...TRACING_CONFIG,
};

export type AppConfig = ConfigOf<typeof APP_CONFIG>;
