import { Counter, createLateGauge, Gauge, Histogram, type Registry, SECONDS_BUCKETS } from '@fresnel/platform';
import { ROOT_CHECKS } from './root-checks';

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
        help: 'Proof requests that wait for the slot of a tree',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
  };
}

/** The stages of a batch: it waits for reads of the trees and for hashes, and commits to the journal and the trees. */
export type WriterStage = 'read' | 'hash' | 'commit';

/** Metrics of the writer of the trees. */
export interface TreeWriterMetrics {
  stageSeconds: Histogram<'stage'>;
  fenced: Counter;
  rootChecks: Counter<'result'>;
  slot: Gauge<'partition'>;
  seq: Gauge<'tree'>;
  isServed: Gauge<'tree'>;
  reverts: Counter;
  skippedRecords: Counter;
  refusedRecords: Counter;
}

/** Metrics have one label per tree. A chain has a few dozen trees. */
export function createTreeWriterMetrics(registry: Registry): TreeWriterMetrics {
  const registers = [registry];
  const rootChecks = new Counter<'result'>({
    name: 'fresnel_prover_root_checks_total',
    help: 'Roots computed by batches: "matched" or "mismatched" the root that the chain reports, or "unchecked" without one',
    labelNames: ['result'],
    registers,
  });
  for (const result of ROOT_CHECKS) rootChecks.inc({ result }, 0);
  return {
    rootChecks,
    stageSeconds: new Histogram({
      name: 'fresnel_prover_batch_seconds',
      help: 'Duration of the stages of a batch: "read" from the trees, "hash", and "commit" to the journal and the trees',
      labelNames: ['stage'],
      buckets: SECONDS_BUCKETS,
      registers,
    }),
    fenced: new Counter({
      name: 'fresnel_prover_fenced_total',
      help: 'Batches and checks that were refused because another prover has claimed the partition, or Redis has lost data',
      registers,
    }),
    slot: createLateGauge({
      name: 'fresnel_prover_slot',
      help: 'Newest slot applied to the trees of a partition',
      labelNames: ['partition'],
      registers,
    }),
    seq: createLateGauge({
      name: 'fresnel_prover_tree_seq',
      help: 'Sequence number of a tree',
      labelNames: ['tree'],
      registers,
    }),
    isServed: createLateGauge({
      name: 'fresnel_prover_tree_served',
      help: '1 while proofs of a tree are served, 0 while they are refused',
      labelNames: ['tree'],
      registers,
    }),
    reverts: new Counter({
      name: 'fresnel_prover_reverts_total',
      help: 'Batches that reverted orphaned blocks in the trees',
      registers,
    }),
    skippedRecords: new Counter({
      name: 'fresnel_prover_skipped_records_total',
      help: 'Records skipped because their block is orphaned',
      registers,
    }),
    refusedRecords: new Counter({
      name: 'fresnel_prover_refused_records_total',
      help: 'Records refused because their block is on another branch than the trees follow',
      registers,
    }),
  };
}

/** Metrics of a prover that writes trees and serves proofs. */
export type ProverMetrics = TreeWriterMetrics & ProofReaderMetrics;

export function createProverMetrics(registry: Registry): ProverMetrics {
  return { ...createTreeWriterMetrics(registry), ...createProofReaderMetrics(registry) };
}
