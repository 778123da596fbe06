export { type ProverServerOptions } from '../grpc/prover.grpc-server';
export { ProverServerModule, type ProverServerParts } from '../grpc/prover-server.module';
export { type RunningProverServer, startProverServer } from '../grpc/start-prover-server';
export { ProofReaderModule } from './proof-reader.module';
export { ProverModule } from './prover.module';
export { PROVER_TASK } from './prover-task';
export { TreeWriterModule, type TreeWriterOptions } from './tree-writer.module';
