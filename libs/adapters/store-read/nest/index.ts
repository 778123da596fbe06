export { StoreReadModule } from './store-read.module';
