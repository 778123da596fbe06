export {
  newPrefix,
  provideSharedServers,
  type SharedKafka,
  sharedKafka,
  sharedPostgres,
  type SharedRedis,
  sharedRedis,
} from './shared-servers';
export { TestAuthority, type TestCertificate } from './test-certificates';
export { startTestKafka, startTestRedis, type TestKafka, type TestRedis } from './test-servers';
export { EAGER_RETENTION, expireSegments } from './short-retention';
export { bulkReply, type ScriptedRedis, startScriptedRedis } from './scripted-redis';
