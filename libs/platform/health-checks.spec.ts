import { HealthChecks } from './health-checks';

describe('health checks', () => {
  it('are ready if no check finds a fault', async () => {
    const checks = new HealthChecks();
    checks.add(() => Promise.resolve([]));
    expect(await checks.findFaults()).toEqual([]);
  });

  it('collect the faults of all checks, also if some fail or never answer', async () => {
    const checks = new HealthChecks(20);
    checks.add(() => Promise.resolve(['It lags']));
    checks.add(() => Promise.reject(new Error('no answer')));
    checks.add(() => new Promise(() => undefined));
    expect(await checks.findFaults()).toEqual(['It lags', 'no answer', 'A dependency did not answer within 0.02 s']);
  });

  it('are not ready while the process drains, and live', async () => {
    const checks = new HealthChecks();
    checks.addLiveness(() => []);
    checks.startDraining();
    expect([checks.isDraining, await checks.findFaults(), checks.findStuck()]).toEqual([true, ['Shutting down'], []]);
  });

  it('report what is stuck', () => {
    const checks = new HealthChecks();
    checks.addLiveness(() => ['A batch is in progress for 400 s']);
    expect(checks.findStuck()).toEqual(['A batch is in progress for 400 s']);
  });
});
