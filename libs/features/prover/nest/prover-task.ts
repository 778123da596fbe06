/** Injection token of the `BackgroundTask` that consumes tree updates. */
export const PROVER_TASK = Symbol('ProverTask');
