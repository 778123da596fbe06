import { Counter, Gauge, type Registry } from '@fresnel/platform';

export interface ProverMetrics {
  slot: Gauge;
  seq: Gauge<'tree'>;
  isServed: Gauge<'tree'>;
  reverts: Counter;
  skippedRecords: Counter;
}

/** A label per address tree: a chain has a handful. */
export function createProverMetrics(registry: Registry): ProverMetrics {
  const registers = [registry];
  return {
    slot: new Gauge({ name: 'fresnel_prover_slot', help: 'Slot up to which address trees are applied', registers }),
    seq: new Gauge({
      name: 'fresnel_prover_tree_seq',
      help: 'Sequence number of an address tree',
      labelNames: ['tree'],
      registers,
    }),
    isServed: new Gauge({
      name: 'fresnel_prover_tree_served',
      help: '1 while proofs are served from an address tree, 0 while they are refused',
      labelNames: ['tree'],
      registers,
    }),
    reverts: new Counter({
      name: 'fresnel_prover_reverts_total',
      help: 'Batches that brought address trees back before blocks that the chain has left',
      registers,
    }),
    skippedRecords: new Counter({
      name: 'fresnel_prover_skipped_records_total',
      help: 'Records skipped because their block is not on the branch that the address trees follow',
      registers,
    }),
  };
}
