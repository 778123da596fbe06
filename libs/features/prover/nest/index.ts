export { type ProverServerOptions } from '../grpc/prover.grpc-server';
export { ProverServerModule, type ProverServerParts } from '../grpc/prover-server.module';
export { type RunningProverServer, startProverServer } from '../grpc/start-prover-server';
export { PROVER_TASK, ProverModule } from './prover.module';
