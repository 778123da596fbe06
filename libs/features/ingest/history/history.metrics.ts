import { type HistorySource } from '@fresnel/adapters/chain';
import { type HistoryUsage } from '@fresnel/adapters/chain/history';
import { FINDING_REASONS, type FindingReason, type HistoryFinding } from '@fresnel/domain/chain';
import { Counter, Gauge, type Registry } from '@fresnel/platform';

export interface HistoryMetrics {
  findings: Gauge<'reason'>;
  failedComparisons: Counter;
}

/** @param sources whose requests are counted, by the names of their providers */
export function createHistoryMetrics(registry: Registry, sources: readonly HistorySource[]): HistoryMetrics {
  const registers = [registry];
  // The sources count by themselves. Their numbers are taken when the metrics are read.
  new Counter({
    name: 'fresnel_history_requests_total',
    help: 'Requests to history sources, including those that failed',
    labelNames: ['source'],
    registers,
    collect() {
      takeUsage(this, sources, 'calls');
    },
  });
  new Counter({
    name: 'fresnel_history_response_bytes_total',
    help: 'Size of the answers of history sources after decompression',
    labelNames: ['source'],
    registers,
    collect() {
      takeUsage(this, sources, 'bytes');
    },
  });
  return {
    findings: new Gauge({
      name: 'fresnel_history_findings',
      help: 'Trees of which history lacks something, by what it lacks',
      labelNames: ['reason'],
      registers,
    }),
    failedComparisons: new Counter({
      name: 'fresnel_history_failed_comparisons_total',
      help: 'Comparisons of history with the chain that failed because the node did not list all trees',
      registers,
    }),
  };
}

function takeUsage(counter: Counter<'source'>, sources: readonly HistorySource[], count: keyof HistoryUsage): void {
  counter.reset();
  for (const { name: source, usage } of sources) counter.inc({ source }, usage[count]);
}

/** Shows how many trees lack something, also those reasons that no tree has. */
export function countFindings({ findings }: HistoryMetrics, found: readonly HistoryFinding[]): void {
  const countOf = (reason: FindingReason) => found.filter((finding) => finding.reason === reason).length;
  for (const reason of FINDING_REASONS) findings.set({ reason }, countOf(reason));
}
