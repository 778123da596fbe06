import { Counter, createLateGauge, Gauge, type Registry } from '@fresnel/platform';

/** Metrics of a process that serves proofs. */
export interface ProofReaderMetrics {
  /** @param count returns the number of requests that wait for a slot */
  observeWaiting(count: () => number): void;
}

export function createProofReaderMetrics(registry: Registry): ProofReaderMetrics {
  return {
    observeWaiting: (count) => {
      new Gauge({
        name: 'fresnel_prover_waiting_requests',
        help: 'Proof requests that wait for the slot of an address tree',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
  };
}

/** Metrics of the writer of the trees. */
export interface TreeWriterMetrics {
  slot: Gauge<'partition'>;
  seq: Gauge<'tree'>;
  isServed: Gauge<'tree'>;
  reverts: Counter;
  skippedRecords: Counter;
}

/** Metrics have one label per address tree. A chain has only a few address trees. */
export function createTreeWriterMetrics(registry: Registry): TreeWriterMetrics {
  const registers = [registry];
  return {
    slot: createLateGauge({
      name: 'fresnel_prover_slot',
      help: 'Newest slot applied to the address trees of a partition',
      labelNames: ['partition'],
      registers,
    }),
    seq: createLateGauge({
      name: 'fresnel_prover_tree_seq',
      help: 'Sequence number of an address tree',
      labelNames: ['tree'],
      registers,
    }),
    isServed: createLateGauge({
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

/** Metrics of a prover that writes trees and serves proofs. */
export type ProverMetrics = TreeWriterMetrics & ProofReaderMetrics;

export function createProverMetrics(registry: Registry): ProverMetrics {
  return { ...createTreeWriterMetrics(registry), ...createProofReaderMetrics(registry) };
}
