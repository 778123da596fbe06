import { Counter, Gauge, type Registry } from '@fresnel/platform';

export interface ProjectorMetrics {
  slots: Counter;
  created: Counter;
  consumed: Counter;
  parked: Counter;
  indexedSlot: Gauge;
  chainTip: Gauge;
}

export function createProjectorMetrics(registry: Registry): ProjectorMetrics {
  const registers = [registry];
  return {
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
    parked: new Counter({
      name: 'fresnel_projector_parked_transactions_total',
      help: 'Transactions that could not be read in whole',
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
