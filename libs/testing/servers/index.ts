export { SERVER_URL_VARIABLE, startPostgresServer } from './postgres-server';
export { startTestKafka, startTestRedis, type TestKafka, type TestRedis } from './test-servers';
