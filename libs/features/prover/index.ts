export { createProverMetrics, type ProverMetrics } from './prover.metrics';
export { ProofReader } from './proof.reader';
export { type ProverOptions, ProverService } from './prover.service';
export { PROVER_CONFIG, PROVER_ROLES, type ProverRole } from './prover.config';
