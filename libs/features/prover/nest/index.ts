export { type ProverServerOptions } from '../grpc/prover.grpc-server';
export { ProverServerModule, type ProverServerParts } from '../grpc/prover-server.module';
export { type RunningProverServer, startProverServer } from '../grpc/start-prover-server';
export { ProofReaderModule } from './proof-reader.module';
export { ProverModule, ProverTask } from './prover.module';
export { TreeWriterModule, type TreeWriterOptions, TreeWriterTask } from './tree-writer.module';
