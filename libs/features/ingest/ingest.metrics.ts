import { Counter, createLateGauge, Gauge, type Registry } from '@fresnel/platform';

export interface IngestMetrics {
  blocks: Counter;
  transactions: Counter;
  events: Counter<'kind'>;
  foreignEvents: Counter;
  slot: Gauge;
  watermarkSlot: Gauge;
  consumerLag: Gauge<'group'>;
  waitsForConsumers: Gauge;
  forks: Counter;
  finalForks: Counter;
  revertedSlots: Counter;
  adoptedSlots: Counter;
  waitsForEvidence: Gauge;
  deadLetters: Gauge;
  deadLetterRetries: Counter<'outcome'>;
}

/**
 * The outcome of the retry of a dead letter: its slot was `published` again, its reasons are `unchanged`, or the retry
 * `failed`.
 */
export type RetryOutcome = 'published' | 'unchanged' | 'failed';

const RETRY_OUTCOMES: readonly RetryOutcome[] = ['published', 'unchanged', 'failed'];

export function createIngestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry];
  const deadLetterRetries = new Counter({
    name: 'fresnel_ingest_dead_letter_retries_total',
    help: 'Retries of dead letters by outcome',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of RETRY_OUTCOMES) deadLetterRetries.inc({ outcome }, 0);
  return {
    deadLetterRetries,
    deadLetters: createLateGauge({ name: 'fresnel_dead_letters', help: 'Stored dead letters', registers }),
    blocks: new Counter({ name: 'fresnel_ingest_blocks_total', help: 'Blocks read', registers }),
    transactions: new Counter({
      name: 'fresnel_ingest_transactions_total',
      help: 'Transactions read, including those without compression events',
      registers,
    }),
    events: new Counter({
      name: 'fresnel_ingest_events_total',
      help: 'Compression events found',
      labelNames: ['kind'],
      registers,
    }),
    foreignEvents: new Counter({
      name: 'fresnel_ingest_foreign_events_total',
      help: 'Events that were dropped, in full or in part, because they name an account that is not a tree',
      registers,
    }),
    slot: createLateGauge({ name: 'fresnel_ingest_slot', help: 'Newest published slot', registers }),
    watermarkSlot: createLateGauge({
      name: 'fresnel_ingest_watermark_slot',
      help: 'Newest slot with a watermark in tree-updates',
      registers,
    }),
    consumerLag: createLateGauge({
      name: 'fresnel_ingest_consumer_lag_records',
      help: 'Records that a consumer group has not applied, in the partition where it is furthest behind',
      labelNames: ['group'],
      registers,
    }),
    waitsForConsumers: new Gauge({
      name: 'fresnel_ingest_waits_for_consumers',
      help: '1 while nothing is published because a consumer group is too far behind',
      registers,
    }),
    forks: new Counter({
      name: 'fresnel_ingest_forks_total',
      help: 'Forks that orphaned published blocks',
      registers,
    }),
    finalForks: new Counter({
      name: 'fresnel_ingest_final_forks_total',
      help: 'Forks that orphaned blocks that were read as finalized, which no chain should have',
      registers,
    }),
    revertedSlots: new Counter({
      name: 'fresnel_ingest_reverted_slots_total',
      help: 'Slots whose revert was published and applied by all consumers',
      registers,
    }),
    adoptedSlots: new Counter({
      name: 'fresnel_ingest_adopted_slots_total',
      help: 'Reverted slots that were on the chain, and that all consumers accept again',
      registers,
    }),
    waitsForEvidence: new Gauge({
      name: 'fresnel_ingest_waits_for_evidence',
      help: '1 while nothing is published because the finalized chain does not show yet which published blocks are orphaned',
      registers,
    }),
  };
}
