import { lagOf, percentileOf, rateOf } from './dashboard.mjs';

/** @type {import('./dashboard.mjs').Dashboard} */
export const OVERVIEW = {
  uid: 'fresnel-overview',
  title: 'Fresnel / Overview',
  description: 'Whether the index is up to date, and whether clients get answers.',
  rows: [
    {
      title: 'State',
      panels: [
        {
          type: 'stat',
          title: 'Age of the index',
          description: 'How old the data of an answer are: the age of the block at the indexed slot.',
          unit: 's',
          alarm: 60,
          queries: [{ expr: 'max(fresnel_index_lag_seconds)' }],
        },
        {
          type: 'stat',
          title: 'Slots behind the chain',
          description: 'Chain tip minus indexed slot.',
          unit: 'none',
          alarm: 150,
          queries: [{ expr: lagOf('max(fresnel_chain_tip_slot)', 'max(fresnel_indexed_slot)') }],
        },
        {
          type: 'stat',
          title: 'Slots the trees are behind',
          description: 'Newest watermark of ingest minus the slot of the last partition of the address trees.',
          unit: 'none',
          alarm: 150,
          queries: [{ expr: lagOf('max(fresnel_ingest_watermark_slot)', 'min(fresnel_prover_slot)') }],
        },
        {
          type: 'stat',
          title: 'Refused trees',
          description: 'Address trees whose proofs are refused. 0 is good.',
          unit: 'none',
          alarm: 1,
          queries: [{ expr: 'sum(1 - min by (tree) (fresnel_prover_tree_served))' }],
        },
        {
          type: 'stat',
          title: 'Dead letters',
          description: 'Transactions that could not be read completely, and are retried. 0 is good.',
          unit: 'none',
          alarm: 1,
          queries: [{ expr: 'max(fresnel_dead_letters)' }],
        },
        {
          type: 'stat',
          title: 'Pods without metrics',
          description: 'Processes that Prometheus cannot scrape. 0 is good.',
          unit: 'none',
          alarm: 1,
          queries: [{ expr: 'sum(1 - up{service=~"gateway|ingest|projector|prover|prover-writer"})' }],
        },
      ],
    },
    {
      title: 'Clients',
      panels: [
        {
          title: 'Calls',
          description: 'JSON-RPC calls in a second by method.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_gateway_calls_total', 'method'), legend: '{{method}}' }],
        },
        {
          title: 'Duration of calls',
          description: 'Percentiles of the duration of all JSON-RPC calls.',
          unit: 's',
          queries: [
            { expr: percentileOf(0.5, 'fresnel_gateway_call_duration_seconds'), legend: 'median' },
            { expr: percentileOf(0.99, 'fresnel_gateway_call_duration_seconds'), legend: '99th percentile' },
          ],
        },
        {
          title: 'Failed calls',
          description: 'Share of the calls that failed with an internal error. Wrong requests are not failures.',
          unit: 'percentunit',
          queries: [
            {
              expr: `(${rateOf('fresnel_gateway_calls_total{outcome="-32603"}')} or vector(0)) / ${rateOf('fresnel_gateway_calls_total')}`,
            },
          ],
        },
      ],
    },
    {
      title: 'Progress',
      panels: [
        {
          title: 'Slots',
          description: 'Slots that are read, and slots that are stored, in a second. A chain has about 2.5.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_ingest_blocks_total'), legend: 'ingest' },
            { expr: rateOf('fresnel_projector_slots_total'), legend: 'projector' },
          ],
        },
        {
          title: 'Consumer lag',
          description: 'Records that a group has not applied, in the partition where it is furthest behind.',
          unit: 'short',
          queries: [{ expr: 'max by (group) (fresnel_ingest_consumer_lag_records)', legend: '{{group}}' }],
        },
        {
          title: 'Restarts',
          description: 'Starts of processes in the last 15 minutes, without the first one.',
          unit: 'none',
          queries: [
            {
              expr: 'sum by (service) (changes(process_start_time_seconds{service=~"gateway|ingest|projector|prover|prover-writer"}[15m]))',
              legend: '{{service}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'CPU',
          description: 'Cores that all processes of a service use.',
          unit: 'short',
          queries: [{ expr: rateOf('process_cpu_seconds_total', 'service'), legend: '{{service}}' }],
        },
        {
          title: 'Memory',
          description: 'Resident memory of the largest process of a service.',
          unit: 'bytes',
          queries: [{ expr: 'max by (service) (process_resident_memory_bytes)', legend: '{{service}}' }],
        },
        {
          title: 'Event loop delay',
          description: 'The 99th percentile of the delay of the event loop, of the worst process of a service.',
          unit: 's',
          queries: [{ expr: 'max by (service) (nodejs_eventloop_lag_p99_seconds)', legend: '{{service}}' }],
        },
      ],
    },
  ],
};
