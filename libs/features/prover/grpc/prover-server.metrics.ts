import { Histogram, type Registry } from '@fresnel/platform';

export interface ProverServerMetrics {
  /** `outcome`: answered, the code of the error, or failed. */
  seconds: Histogram<'outcome'>;
}

export function createProverServerMetrics(registry: Registry): ProverServerMetrics {
  return {
    seconds: new Histogram({
      name: 'fresnel_prover_call_seconds',
      help: 'Duration of proof calls by outcome',
      labelNames: ['outcome'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers: [registry],
    }),
  };
}
