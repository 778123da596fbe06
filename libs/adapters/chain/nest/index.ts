export { CHAIN, ChainModule } from './chain.module';
export { NodeRpcModule, type NodeRpcModuleOptions } from './node-rpc.module';
