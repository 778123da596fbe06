import { type IgnoreReason } from '@fresnel/adapters/store-write';
import { Counter, Gauge, type Registry } from '@fresnel/platform';

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
    help: 'Slots that were not written: their block is not on the chain that is stored',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of IGNORE_REASONS) ignored.inc({ reason }, 0);
  return {
    ignored,
    reverted: new Counter({
      name: 'fresnel_projector_reverted_slots_total',
      help: 'Slots taken back because the chain left their blocks',
      registers,
    }),
    slots: new Counter({ name: 'fresnel_projector_slots_total', help: 'Slots written, repeats included', registers }),
    created: new Counter({
      name: 'fresnel_projector_accounts_created_total',
      help: 'Accounts reported as created',
      registers,
    }),
    consumed: new Counter({
      name: 'fresnel_projector_accounts_consumed_total',
      help: 'Accounts reported as consumed',
      registers,
    }),
    deadLetters: new Counter({
      name: 'fresnel_projector_dead_letters_total',
      help: 'Transactions that could not be decoded completely and were stored as dead letters',
      registers,
    }),
    indexedSlot: new Gauge({
      name: 'fresnel_indexed_slot',
      help: 'Tip of the unbroken chain of indexed slots',
      registers,
    }),
    chainTip: new Gauge({ name: 'fresnel_chain_tip_slot', help: 'Newest slot that the source said exists', registers }),
  };
}
