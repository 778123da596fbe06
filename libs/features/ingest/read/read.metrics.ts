import { Counter, type Registry } from '@fresnel/platform';

/** What is read of blocks. */
export interface ReadMetrics {
  blocks: Counter;
  transactions: Counter;
  events: Counter<'kind'>;
  foreignEvents: Counter;
}

export function createReadMetrics(registry: Registry): ReadMetrics {
  const registers = [registry];
  return {
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
  };
}
