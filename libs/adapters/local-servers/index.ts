export { LocalServerError } from './local-server.error';
export { KafkaServer, type KafkaServerOptions } from './kafka-server';
export { RedisServer, type RedisServerOptions } from './redis-server';
export { requireProgram } from './start-server';
