export {
  ADDRESS_TREE_SETTINGS,
  CHAIN_SETTINGS,
  type ChainSettings,
  DEMO_SETTINGS,
  toChainSettings,
  TOKEN_PROGRAM_SETTINGS,
} from './chain.settings';
export { DATABASE_SETTINGS, READ_DATABASE_SETTINGS } from './database.settings';
export { KAFKA_SETTINGS, toKafkaSettings, TOPIC_SETTINGS } from './kafka.settings';
export { PROVER_ADDRESS_SETTINGS } from './prover.settings';
export { REDIS_SETTINGS } from './redis.settings';
export { mandatory, required } from './required';
