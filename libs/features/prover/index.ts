export { createProverMetrics, type ProverMetrics } from './prover.metrics';
export { type ProverOptions, ProverService } from './prover.service';
export { type ProverServerOptions } from './grpc/prover.grpc-server';
export { type ProverServerParts } from './grpc/prover-server.module';
export { type RunningProverServer, startProverServer } from './grpc/start-prover-server';
export { PROVER_CONFIG } from './prover.config';
