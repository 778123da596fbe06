import { GATEWAY_CONFIG } from './gateway.config';
import { COSTLY_PROVER, fillCostlyRows, measureFairness, percentile, startTestGateway } from '@fresnel/testing/gateway';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';

const ROUNDS = 3;
const RATE_LIMIT = {
  points: Number(GATEWAY_CONFIG.RATE_LIMIT_POINTS.default),
  windowSeconds: Number(GATEWAY_CONFIG.RATE_LIMIT_WINDOW_SECONDS.default),
};

export const bench: Bench = {
  title: 'Account reads of one client while another uses all its points for the costliest calls',
  data: `${ROUNDS} windows of ${RATE_LIMIT.points} points with and without the other client; clients and gateway in one process`,
  unit: 'reads',
  prepare: async () => {
    const stop = await provideSharedServers();
    const database = await createTestDatabase();
    await fillCostlyRows(database);
    const gateway = await startTestGateway({
      databaseUrl: database.url,
      prover: COSTLY_PROVER,
      GATEWAY_TRUSTED_PROXIES: 1,
      rateLimit: RATE_LIMIT,
    });
    const run = async (): Promise<BenchMeasurement> => {
      const { windowSeconds } = RATE_LIMIT;
      const { alone, attacked, granted } = await measureFairness(gateway, { windowSeconds, rounds: ROUNDS });
      const p99 = [alone, attacked].map((latencies) => percentile(latencies, 0.99));
      const median = [alone, attacked].map((latencies) => percentile(latencies, 0.5));
      const texts = [median, p99].map(
        ([before, during]) => `${before.toFixed(1)} ms alone, ${during.toFixed(1)} ms beside`,
      );
      const details = `median ${texts[0]}; p99 ${texts[1]} (${(p99[1] / p99[0]).toFixed(2)} times); ${granted} costly calls granted`;
      return { count: attacked.length, seconds: ROUNDS * windowSeconds, details };
    };
    return {
      ways: [{ name: 'beside the other client', run, isOnce: true }],
      close: async () => {
        await gateway.close();
        await database.drop();
        await stop();
      },
    };
  },
};
