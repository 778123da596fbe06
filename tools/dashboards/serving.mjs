import { busyOf, lagOf, percentileOf, rateOf } from './dashboard.mjs';

/** @type {import('./dashboard.mjs').Dashboard} */
export const SERVING = {
  uid: 'fresnel-serving',
  title: 'Fresnel / Provers and gateways',
  description: 'From the trees and tables to answers: what is served, how fast, and what is refused.',
  rows: [
    {
      title: 'Gateways',
      panels: [
        {
          title: 'Outcomes of calls',
          description: 'JSON-RPC calls in a second by outcome: "ok" or the error code.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_gateway_calls_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Duration of calls',
          description: 'The 99th percentile by method.',
          unit: 's',
          queries: [
            { expr: percentileOf(0.99, 'fresnel_gateway_call_duration_seconds', 'method'), legend: '{{method}}' },
          ],
        },
        {
          title: 'Duration of reads from Postgres',
          description: 'The 99th percentile by statement.',
          unit: 's',
          queries: [
            { expr: percentileOf(0.99, 'fresnel_postgres_read_seconds', 'statement'), legend: '{{statement}}' },
          ],
        },
        {
          title: 'In progress',
          description: 'HTTP requests and JSON-RPC calls in progress in all gateways.',
          unit: 'none',
          queries: [
            { expr: 'sum(fresnel_gateway_requests_in_flight)', legend: 'requests' },
            { expr: 'sum(fresnel_gateway_calls_in_flight)', legend: 'calls' },
          ],
        },
        {
          title: 'Responses in progress',
          description: 'Uncompressed size of the responses that have not been sent completely.',
          unit: 'bytes',
          queries: [{ expr: 'sum(fresnel_gateway_responses_in_flight_bytes)' }],
        },
        {
          title: 'Shed requests',
          description: 'Requests that are answered with 503, in a second by the exhausted budget. 0 is good.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_gateway_requests_shed_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Subscriptions',
          description: 'Subscriptions to compressed accounts: live, or catching up with old slots.',
          unit: 'none',
          queries: [{ expr: 'sum by (state) (fresnel_push_subscriptions)', legend: '{{state}}' }],
        },
        {
          title: 'Notifications',
          description:
            'Notifications of subscriptions in a second by kind, and WebSockets that gateways close, by code.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_push_notifications_total', 'kind'), legend: '{{kind}}' },
            { expr: rateOf('fresnel_gateway_websockets_closed_total', 'code'), legend: 'closed with {{code}}' },
          ],
        },
        {
          title: 'Age of what subscriptions have received',
          description: 'Time since a gateway with live subscriptions last knew what is new. Below a second is good.',
          unit: 's',
          queries: [{ expr: 'max(fresnel_push_poll_age_seconds)' }],
        },
        {
          title: 'Rate limiter',
          description: 'Decisions of the rate limiter in a second.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_gateway_rate_limit_seconds_count', 'decision'), legend: '{{decision}}' }],
        },
        {
          title: 'Duration of the rate limiter',
          description: 'The 99th percentile of the duration of a decision: a request to Redis.',
          unit: 's',
          queries: [{ expr: percentileOf(0.99, 'fresnel_gateway_rate_limit_seconds') }],
        },
        {
          title: 'Limits in memory',
          description: 'Gateways that count rate limits in their own memory because Redis is unavailable. 0 is good.',
          unit: 'none',
          queries: [{ expr: 'sum(fresnel_gateway_rate_limit_local_fallback)' }],
        },
      ],
    },
    {
      title: 'Proofs',
      panels: [
        {
          title: 'Proof calls',
          description: 'Calls of the provers in a second by outcome.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_prover_call_seconds_count', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Duration of proof calls',
          description: 'Percentiles of the duration of a call, with the wait for the slot of the tree.',
          unit: 's',
          queries: [
            { expr: percentileOf(0.5, 'fresnel_prover_call_seconds'), legend: 'median' },
            { expr: percentileOf(0.99, 'fresnel_prover_call_seconds'), legend: '99th percentile' },
          ],
        },
        {
          title: 'Waiting requests',
          description: 'Proof requests that wait for the slot of a tree.',
          unit: 'none',
          queries: [{ expr: 'sum(fresnel_prover_waiting_requests)' }],
        },
        {
          title: 'Served trees',
          description: '1 while proofs of a tree are served, 0 while they are refused.',
          unit: 'none',
          queries: [{ expr: 'min by (tree) (fresnel_prover_tree_served)', legend: '{{tree}}' }],
        },
        {
          title: 'Duration of Redis commands',
          description: 'The 99th percentile by server and command.',
          unit: 's',
          queries: [
            {
              expr: percentileOf(0.99, 'fresnel_prover_redis_seconds', 'server, command'),
              legend: '{{server}} {{command}}',
            },
          ],
        },
        {
          title: 'Redis commands',
          description: 'Commands on trees in a second by outcome.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_prover_redis_seconds_count', 'server, outcome'), legend: '{{server}} {{outcome}}' },
          ],
        },
      ],
    },
    {
      title: 'Writers of the trees',
      panels: [
        {
          title: 'Slots the trees are behind',
          description: 'Newest watermark of ingest minus the newest slot of a partition of the trees.',
          unit: 'none',
          queries: [
            {
              expr: lagOf(
                'max(fresnel_ingest_watermark_slot)',
                'max by (partition) (fresnel_prover_slot)',
                'on () group_right ()',
              ),
              legend: 'partition {{partition}}',
            },
          ],
        },
        {
          title: 'Changes of the trees',
          description: 'Increase of the sequence number of each tree in a second.',
          unit: 'ops',
          queries: [{ expr: 'max by (tree) (deriv(fresnel_prover_tree_seq[$__rate_interval]))', legend: '{{tree}}' }],
        },
        {
          title: 'Time of the stages',
          description: 'Seconds that all writers spend in a stage in a second: which stage limits the writers.',
          unit: 'short',
          queries: [{ expr: busyOf('fresnel_prover_batch_seconds', 'stage'), legend: '{{stage}}' }],
        },
        {
          title: 'Duration of the stages',
          description:
            'The 99th percentile of a stage of a batch, and of the part of a commit that writes the journal.',
          unit: 's',
          queries: [
            { expr: percentileOf(0.99, 'fresnel_prover_batch_seconds', 'stage'), legend: '{{stage}}' },
            { expr: percentileOf(0.99, 'fresnel_prover_journal_seconds'), legend: 'journal' },
          ],
        },
        {
          title: 'Root checks',
          description:
            'Computed roots in a second by their comparison with the chain. Mismatched roots quarantine the tree.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_prover_root_checks_total', 'result'), legend: '{{result}}' }],
        },
        {
          title: 'Reverts, skipped and refused records, and fencing',
          description:
            'Batches that reverted blocks, records of orphaned blocks or of another branch, and writers that lost their partition, in a second.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_prover_reverts_total'), legend: 'reverts' },
            { expr: rateOf('fresnel_prover_skipped_records_total'), legend: 'skipped records' },
            { expr: rateOf('fresnel_prover_refused_records_total'), legend: 'refused records' },
            { expr: rateOf('fresnel_prover_fenced_total'), legend: 'fenced' },
          ],
        },
      ],
    },
  ],
};
