import { Registry } from '@fresnel/platform';
import { captureLog } from '@fresnel/testing/generic';
import { Backpressure, type ConsumerGroup } from './backpressure';
import { createFollowMetrics } from './follow.metrics';

/** A group whose lag is read from a list. The last number stays. */
function groupWith(group: string, lags: number[]): ConsumerGroup & { reads: number } {
  const read = {
    group,
    reads: 0,
    findLag: () => {
      read.reads++;
      return Promise.resolve(lags.length > 1 ? (lags.shift() ?? 0) : lags[0]);
    },
  };
  return read;
}

describe('Backpressure', () => {
  const { signal } = new AbortController();

  function open(groups: ConsumerGroup[], options: { maxLag: number | null; intervalMs?: number }) {
    const { logger, lines } = captureLog();
    const metrics = createFollowMetrics(new Registry());
    return { backpressure: new Backpressure(groups, { intervalMs: 1, ...options }, logger, metrics), lines, metrics };
  }

  it('waits until no group is further behind than the maximum', async () => {
    const slow = groupWith('slow', [9, 8, 8, 5]);
    const { backpressure, lines, metrics } = open([groupWith('fast', [0]), slow], { maxLag: 5 });
    const waiting = backpressure.wait(signal);
    while (!backpressure.isWaiting) await Promise.resolve();
    expect((await metrics.waitsForConsumers.get()).values[0].value).toBe(1);
    await waiting;
    expect(slow.reads).toBe(4);
    expect(backpressure.isWaiting).toBe(false);
    expect((await metrics.waitsForConsumers.get()).values[0].value).toBe(0);
    expect((await metrics.consumerLag.get()).values).toMatchObject([
      { labels: { group: 'fast' }, value: 0 },
      { labels: { group: 'slow' }, value: 5 },
    ]);
    expect(lines).toMatchObject([
      { level: 'warn', lag: { fast: 0, slow: 9 }, maxLag: 5, msg: expect.stringContaining('ingest waits') },
      { level: 'info', msg: 'ingest continues' },
    ]);
  });

  it('reads the lag at its interval only', async () => {
    const group = groupWith('any', [0]);
    const { backpressure } = open([group], { maxLag: 5, intervalMs: 60_000 });
    for (let block = 0; block < 5; block++) await backpressure.wait(signal);
    expect(group.reads).toBe(1);
  });

  it('reads no lag without a maximum', async () => {
    const group = groupWith('any', [999]);
    await open([group], { maxLag: null }).backpressure.wait(signal);
    expect(group.reads).toBe(0);
  });

  it('stops waiting when the signal aborts', async () => {
    const stop = new AbortController();
    const { backpressure } = open([groupWith('frozen', [9])], { maxLag: 5 });
    const waiting = backpressure.wait(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow();
    expect(backpressure.isWaiting).toBe(false);
  });
});
