export { createProverMetrics, type ProverMetrics } from './prover.metrics';
export { ProofReader } from './proof.reader';
export { type ProverOptions, ProverService } from './prover.service';
export { PROVER_CONFIG, type ProverRole } from './prover.config';
