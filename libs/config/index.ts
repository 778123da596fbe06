export {
  ADDRESS_TREE_CONFIG,
  CHAIN_CONFIG,
  type ChainConfig,
  DEMO_CONFIG,
  toChainConfig,
  TOKEN_PROGRAM_CONFIG,
} from './chain.config';
export { type HistoryConfig } from './history.config';
export { FOLLOW_CONFIG, INGEST_CONFIG } from './ingest.config';
export { DATA_DIR_CONFIG, DATABASE_CONFIG, READ_DATABASE_CONFIG } from './database.config';
export { WORKER_CONFIG } from './worker.config';
export { CONSUMER_CONFIG, KAFKA_CONFIG, toKafkaConfig, TOPIC_CONFIG } from './kafka.config';
export { PROVER_ADDRESS_CONFIG } from './prover.config';
export { PROVER_TLS_CONFIG, toProverTls } from './prover-tls.config';
export { REDIS_CONFIG, REDIS_READ_CONFIG, REDIS_TREES_CONFIG } from './redis.config';
export { TREE_CONFIG } from './tree.config';
export { toValidityProverOptions, VALIDITY_PROVER_CONFIG } from './validity-prover.config';
