export { CHAIN, ChainModule } from './chain.module';
