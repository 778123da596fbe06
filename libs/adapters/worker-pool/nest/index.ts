export { WorkerPoolModule } from './worker-pool.module';
