export { DatabaseModule } from './database.module';
export { measurePool } from './pool.metrics';
