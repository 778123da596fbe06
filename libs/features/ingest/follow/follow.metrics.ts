import { Counter, createLateGauge, Gauge, type Registry } from '@fresnel/platform';

export interface FollowMetrics {
  slot: Gauge;
  watermarkSlot: Gauge;
  consumerLag: Gauge<'group'>;
  waitsForConsumers: Gauge;
  forks: Counter;
  finalForks: Counter;
  revertedSlots: Counter;
  adoptedSlots: Counter;
  waitsForEvidence: Gauge;
  historySlot: Gauge;
  historyTransactions: Counter;
}

export function createFollowMetrics(registry: Registry): FollowMetrics {
  const registers = [registry];
  return {
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
    historySlot: createLateGauge({
      name: 'fresnel_history_attested_slot',
      help: 'Newest slot up to which all history is published, as a source attests it',
      registers,
    }),
    historyTransactions: new Counter({
      name: 'fresnel_history_transactions_total',
      help: 'Published transactions of history',
      registers,
    }),
  };
}
