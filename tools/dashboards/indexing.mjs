import { busyOf, lagOf, percentileOf, rateOf } from './dashboard.mjs';

/** @type {import('./dashboard.mjs').Dashboard} */
export const INDEXING = {
  uid: 'fresnel-indexing',
  title: 'Fresnel / Ingest and projector',
  description: 'From the chain to the tables: what is read and stored, what slows it down, and what is not stored.',
  rows: [
    {
      title: 'Ingest',
      panels: [
        {
          title: 'Blocks and transactions',
          description: 'Blocks and transactions that are read in a second, with those without compression events.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_ingest_blocks_total'), legend: 'blocks' },
            { expr: rateOf('fresnel_ingest_transactions_total'), legend: 'transactions' },
          ],
        },
        {
          title: 'Compression events',
          description: 'Events that are found in a second by kind.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_ingest_events_total', 'kind'), legend: '{{kind}}' }],
        },
        {
          title: 'Slots behind the chain tip',
          description:
            'How far the published slot, the watermark of tree-updates and the indexed slot are behind the chain tip.',
          unit: 'none',
          queries: [
            { expr: lagOf('max(fresnel_chain_tip_slot)', 'max(fresnel_ingest_slot)'), legend: 'published' },
            { expr: lagOf('max(fresnel_chain_tip_slot)', 'max(fresnel_ingest_watermark_slot)'), legend: 'watermark' },
            { expr: lagOf('max(fresnel_chain_tip_slot)', 'max(fresnel_indexed_slot)'), legend: 'indexed' },
          ],
        },
        {
          title: 'Requests to the node',
          description: 'JSON-RPC requests to the Solana node in a second by method and outcome.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_rpc_request_seconds_count', 'method, outcome'), legend: '{{method}} {{outcome}}' },
          ],
        },
        {
          title: 'Duration of requests to the node',
          description: 'The 99th percentile by method.',
          unit: 's',
          queries: [{ expr: percentileOf(0.99, 'fresnel_rpc_request_seconds', 'method'), legend: '{{method}}' }],
        },
        {
          title: 'Waits',
          description:
            '1 while ingest publishes nothing: a consumer group is too far behind, or the finalized chain does not show yet which published blocks are orphaned.',
          unit: 'none',
          queries: [
            { expr: 'max(fresnel_ingest_waits_for_consumers)', legend: 'for consumers' },
            { expr: 'max(fresnel_ingest_waits_for_evidence)', legend: 'for evidence' },
          ],
        },
        {
          title: 'Forks',
          description:
            'Forks that orphaned published blocks, slots that were reverted, and reverted slots that were on the chain, in a second.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_ingest_forks_total'), legend: 'forks' },
            { expr: rateOf('fresnel_ingest_reverted_slots_total'), legend: 'reverted slots' },
            { expr: rateOf('fresnel_ingest_adopted_slots_total'), legend: 'adopted slots' },
          ],
        },
        {
          title: 'Transactions from history',
          description: 'Transactions that a history source delivered, and requests to history sources, in a second.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_history_transactions_total'), legend: 'transactions' },
            { expr: rateOf('fresnel_history_requests_total', 'source'), legend: 'requests to {{source}}' },
          ],
        },
        {
          title: 'History to go',
          description:
            'Slots between the chain tip and the newest one that history is attested up to, until its end is reached.',
          unit: 'none',
          queries: [{ expr: lagOf('max(fresnel_chain_tip_slot)', 'max(fresnel_history_attested_slot)') }],
        },
        {
          title: 'Traffic of history sources',
          description: 'Bytes that history sources send in a second, after decompression.',
          unit: 'bytes',
          queries: [{ expr: rateOf('fresnel_history_response_bytes_total', 'source'), legend: '{{source}}' }],
        },
        {
          title: 'Findings of history',
          description:
            'Trees of which history lacks something, by what it lacks, and comparisons that failed in a second.',
          unit: 'none',
          queries: [
            { expr: 'max by (reason) (fresnel_history_findings)', legend: '{{reason}}' },
            { expr: rateOf('fresnel_history_failed_comparisons_total'), legend: 'failed comparisons' },
          ],
        },
        {
          title: 'Dead letters',
          description: 'Stored dead letters. They are retried until they can be read.',
          unit: 'none',
          queries: [{ expr: 'max(fresnel_dead_letters)' }],
        },
        {
          title: 'Retries of dead letters',
          description:
            'Retries in a second by outcome, and events that were dropped because they name an account that is not a tree.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_ingest_dead_letter_retries_total', 'outcome'), legend: '{{outcome}}' },
            { expr: rateOf('fresnel_ingest_foreign_events_total'), legend: 'dropped events' },
          ],
        },
      ],
    },
    {
      title: 'Projector',
      panels: [
        {
          title: 'Slots',
          description: 'Slots that are stored in a second, and those that are reverted.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_projector_slots_total'), legend: 'stored' },
            { expr: rateOf('fresnel_projector_reverted_slots_total'), legend: 'reverted' },
          ],
        },
        {
          title: 'Accounts',
          description: 'Compressed accounts that are created and consumed in a second.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_projector_accounts_created_total'), legend: 'created' },
            { expr: rateOf('fresnel_projector_accounts_consumed_total'), legend: 'consumed' },
          ],
        },
        {
          title: 'Time of the stages',
          description: 'Seconds that all projectors spend in a stage in a second: which stage limits the projectors.',
          unit: 'short',
          queries: [{ expr: busyOf('fresnel_projector_batch_seconds', 'stage'), legend: '{{stage}}' }],
        },
        {
          title: 'Duration of the stages',
          description: 'The 99th percentile of the duration of a stage of a batch.',
          unit: 's',
          queries: [{ expr: percentileOf(0.99, 'fresnel_projector_batch_seconds', 'stage'), legend: '{{stage}}' }],
        },
        {
          title: 'Slots that are not stored',
          description: 'Slots that conflict with stored blocks or facts, in a second by reason. 0 is good.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_projector_ignored_slots_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Conflicts and fencing',
          description:
            'Transactions that are retried after a conflict, and batches of projectors that lost their partition, in a second.',
          unit: 'ops',
          queries: [
            { expr: rateOf('fresnel_store_conflicts_total', 'state'), legend: 'conflict {{state}}' },
            { expr: rateOf('fresnel_projector_fenced_total'), legend: 'fenced' },
          ],
        },
        {
          title: 'Undecodable transactions',
          description: 'Transactions that were stored as dead letters, in a second. 0 is good.',
          unit: 'ops',
          queries: [{ expr: rateOf('fresnel_projector_dead_letters_total') }],
        },
        {
          title: 'Postgres connections',
          description: 'Connections of the pools of the processes that write, by service and state.',
          unit: 'none',
          queries: [
            { expr: 'sum by (service, state) (fresnel_postgres_pool_connections)', legend: '{{service}} {{state}}' },
          ],
        },
        {
          title: 'Waits for a Postgres connection',
          description:
            'Statements and transactions that wait for a connection of the pool. Often above 0: the pool is too small.',
          unit: 'none',
          queries: [{ expr: 'sum by (service) (fresnel_postgres_pool_waiting_requests)', legend: '{{service}}' }],
        },
      ],
    },
  ],
};
