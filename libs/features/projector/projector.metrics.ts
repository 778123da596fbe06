import { type IgnoreReason } from '@fresnel/adapters/store-write';
import { Counter, createLateGauge, type Gauge, Histogram, type Registry, SECONDS_BUCKETS } from '@fresnel/platform';

/**
 * The stages of a batch: `fold` turns its events into facts, `persist` writes the facts, the position and the indexed slot; while another
 * batch waits, the indexed slot of the batch before.
 */
export type ProjectorStage = 'fold' | 'persist';

export interface ProjectorMetrics {
  stageSeconds: Histogram<'stage'>;
  fenced: Counter;
  slots: Counter;
  created: Counter;
  consumed: Counter;
  deadLetters: Counter;
  reverted: Counter;
  ignored: Counter<'reason'>;
  indexedSlot: Gauge;
  chainTip: Gauge;
}

const IGNORE_REASONS: readonly IgnoreReason[] = ['orphaned', 'slot-conflict', 'not-on-branch', 'conflicting-facts'];

export function createProjectorMetrics(registry: Registry): ProjectorMetrics {
  const registers = [registry];
  const ignored = new Counter({
    name: 'fresnel_projector_ignored_slots_total',
    help: 'Slots that were not stored because they are not on the indexed branch, or conflict with stored blocks or facts',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of IGNORE_REASONS) ignored.inc({ reason }, 0);
  return {
    stageSeconds: new Histogram({
      name: 'fresnel_projector_batch_seconds',
      help: 'Duration of the stages of a batch: "fold" to facts, and "persist" with the position and the indexed slot; while another batch waits, with the indexed slot of the batch before',
      labelNames: ['stage'],
      buckets: SECONDS_BUCKETS,
      registers,
    }),
    fenced: new Counter({
      name: 'fresnel_projector_fenced_total',
      help: 'Batches that were refused because another projector has claimed the partition',
      registers,
    }),
    ignored,
    reverted: new Counter({
      name: 'fresnel_projector_reverted_slots_total',
      help: 'Slots reverted because their blocks are orphaned',
      registers,
    }),
    slots: new Counter({
      name: 'fresnel_projector_slots_total',
      help: 'Slots stored, including repeated ones',
      registers,
    }),
    created: new Counter({
      name: 'fresnel_projector_accounts_created_total',
      help: 'Account creations stored, including repeated ones',
      registers,
    }),
    consumed: new Counter({
      name: 'fresnel_projector_accounts_consumed_total',
      help: 'Account consumptions stored, including repeated ones',
      registers,
    }),
    deadLetters: new Counter({
      name: 'fresnel_projector_dead_letters_total',
      help: 'Transactions that could not be decoded completely and were stored as dead letters',
      registers,
    }),
    indexedSlot: createLateGauge({
      name: 'fresnel_indexed_slot',
      help: 'Newest slot up to which every block is stored',
      registers,
    }),
    chainTip: createLateGauge({
      name: 'fresnel_chain_tip_slot',
      help: 'Newest slot that the source reported',
      registers,
    }),
  };
}
