export { HashPoolModule } from './hash-pool.module';
