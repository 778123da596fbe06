import {
  COSTLY_PROVER,
  fillCostlyRows,
  measureFairness,
  percentile,
  startTestGateway,
  type TestGateway,
} from '@fresnel/testing/gateway';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

/** The default number of points for each second. */
const POINTS_PER_SECOND = 200;
const WINDOW_SECONDS = 1;
const MAX_RATIO = 2;
/** The machine may be busier during one of both measurements. */
const SLACK_MS = 100;

describe('a client that uses all its points for the costliest calls', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    await fillCostlyRows(database);
    gateway = await startTestGateway({
      databaseUrl: database.url,
      prover: COSTLY_PROVER,
      GATEWAY_TRUSTED_PROXIES: 1,
      rateLimit: { points: POINTS_PER_SECOND * WINDOW_SECONDS, windowSeconds: WINDOW_SECONDS },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  // The bench measures the 99th percentile, which a single pause of a busy machine decides.
  it('at most doubles the median latency of another client', async () => {
    const { alone, attacked, granted, rejected } = await measureFairness(gateway, {
      windowSeconds: WINDOW_SECONDS,
      rounds: 4,
    });
    expect(granted).toBeGreaterThan(0);
    expect(rejected).toBeGreaterThan(0);
    expect(percentile(attacked, 0.5)).toBeLessThanOrEqual(MAX_RATIO * percentile(alone, 0.5) + SLACK_MS);
  });
});
