import { FresnelProcess } from '@fresnel/testing/stack';

/** The first start may have to build the apps. */
const START_MS = 180_000;

describe('the app migrate', () => {
  it('fails when a signal ends it before it has migrated, so that a Job runs it again', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none', KAFKA_BROKERS: '127.0.0.1:1' };
    const app = FresnelProcess.start([], env, 'migrate');
    await app.waitFor(
      /"reason":"cannot connect to Postgres at 127\.0\.0\.1:1.*dependency unavailable, retrying"/,
      START_MS,
    );
    const { code, stderr, stdout } = await app.end('SIGTERM');
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('stopped before its work was complete');
  });
});
