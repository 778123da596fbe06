import { type HistorySource } from '@fresnel/adapters/chain';
import { Registry } from '@fresnel/platform';
import { createHistoryMetrics } from './history.metrics';

it('the metrics of history have the requests of each provider', async () => {
  const usages = [
    { calls: 0, bytes: 0 },
    { calls: 0, bytes: 0 },
    { calls: 5, bytes: 9 },
  ];
  const sources = ['one', 'one', 'other'].map((name, at) => ({ name, usage: usages[at] }) as HistorySource);
  const registry = new Registry();
  createHistoryMetrics(registry, sources);
  Object.assign(usages[0], { calls: 1, bytes: 100 });
  Object.assign(usages[1], { calls: 2, bytes: 10 });
  // Each time the metrics are read, the counts are set anew.
  for (const text of [await registry.metrics(), await registry.metrics()]) {
    expect(text).toContain('fresnel_history_requests_total{source="one"} 3\n');
    expect(text).toContain('fresnel_history_requests_total{source="other"} 5\n');
    expect(text).toContain('fresnel_history_response_bytes_total{source="one"} 110\n');
  }
});
