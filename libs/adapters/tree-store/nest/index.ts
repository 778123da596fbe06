export { JournaledTreeStoreModule, type JournaledTreeStoreOptions } from './journaled-tree-store.module';
export { RedisTreeStoreModule, type RedisTreeStoreOptions } from './redis-tree-store.module';
