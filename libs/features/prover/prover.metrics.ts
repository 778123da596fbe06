import { Counter, Gauge, type Registry } from '@fresnel/platform';

export interface ProverMetrics {
  slot: Gauge;
  seq: Gauge<'tree'>;
  isServed: Gauge<'tree'>;
  reverts: Counter;
  skippedRecords: Counter;
}

/** Metrics have one label per address tree. A chain has only a few address trees. */
export function createProverMetrics(registry: Registry): ProverMetrics {
  const registers = [registry];
  return {
    slot: new Gauge({ name: 'fresnel_prover_slot', help: 'Newest slot applied to the address trees', registers }),
    seq: new Gauge({
      name: 'fresnel_prover_tree_seq',
      help: 'Sequence number of an address tree',
      labelNames: ['tree'],
      registers,
    }),
    isServed: new Gauge({
      name: 'fresnel_prover_tree_served',
      help: '1 while proofs of an address tree are served, 0 while they are refused',
      labelNames: ['tree'],
      registers,
    }),
    reverts: new Counter({
      name: 'fresnel_prover_reverts_total',
      help: 'Batches that reverted orphaned blocks in the address trees',
      registers,
    }),
    skippedRecords: new Counter({
      name: 'fresnel_prover_skipped_records_total',
      help: 'Records skipped because their block is not on the branch that the address trees follow',
      registers,
    }),
  };
}
