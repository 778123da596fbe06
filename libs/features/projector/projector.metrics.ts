import { type IgnoreReason } from '@fresnel/adapters/store-write';
import { Counter, createLateGauge, type Gauge, type Registry } from '@fresnel/platform';

export interface ProjectorMetrics {
  slots: Counter;
  created: Counter;
  consumed: Counter;
  deadLetters: Counter;
  reverted: Counter;
  ignored: Counter<'reason'>;
  indexedSlot: Gauge;
  chainTip: Gauge;
}

const IGNORE_REASONS: readonly IgnoreReason[] = ['orphaned', 'slot-conflict', 'conflicting-facts'];

export function createProjectorMetrics(registry: Registry): ProjectorMetrics {
  const registers = [registry];
  const ignored = new Counter({
    name: 'fresnel_projector_ignored_slots_total',
    help: 'Slots that were not stored because they conflict with stored blocks or facts',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of IGNORE_REASONS) ignored.inc({ reason }, 0);
  return {
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
