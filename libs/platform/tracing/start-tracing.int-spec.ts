import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { captureLog, Opened } from '@fresnel/testing/generic';
import { TraceCollector } from '@fresnel/testing/tracing';
import { context, propagation, trace } from '@opentelemetry/api';

const REMOTE = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

/** Starts tracing as a new process would. */
async function start(env: NodeJS.ProcessEnv) {
  for (const part of [trace, context, propagation]) part.disable();
  jest.resetModules();
  const platform = await import('@fresnel/platform');
  const { logger, lines } = captureLog();
  const config = platform.readConfig(platform.TRACING_CONFIG, env);
  return { ...platform, tracing: platform.startTracing('fresnel-test', config, logger), lines };
}

describe('tracing', () => {
  const opened = new Opened();
  let collector: TraceCollector;

  beforeEach(async () => {
    collector = opened.add(await TraceCollector.start());
  });
  afterEach(() => opened.close());

  it('exports what has ended when it is closed', async () => {
    const { inSpan, linkSpans, tracing } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-tenant=one',
    });
    const linked = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    await inSpan('outer', { kind: 'server', attributes: { 'fresnel.slot': 5 } }, async (span) => {
      linkSpans(span, [{ ...linked, traceFlags: 1 }]);
      await inSpan('inner', {}, () => Promise.reject(new Error('no'))).catch(() => undefined);
    });
    await tracing.close();
    const [inner, outer] = collector.spans;
    expect(outer).toMatchObject({ service: 'fresnel-test', name: 'outer', kind: 'server', hasFailed: false });
    expect(outer).toMatchObject({ attributes: { 'fresnel.slot': 5 }, links: [linked], parentSpanId: undefined });
    expect(inner).toMatchObject({ name: 'inner', kind: 'internal', hasFailed: true, traceId: outer.traceId });
    expect(inner.parentSpanId).toBe(outer.spanId);
    expect(collector.requests).toMatchObject([{ authorization: 'Bearer abc', 'x-tenant': 'one' }]);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ''],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces'],
  ])('keeps the query and the login of %s', async (name, path) => {
    const url = `${collector.url.replace('//', '//user:pass@')}${path}?api-key=K`;
    const { inSpan, tracing } = await start({ [name]: url, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one' });
    await inSpan('work', {}, () => Promise.resolve());
    await tracing.close();
    const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`;
    expect(collector.urls).toEqual(['/v1/traces?api-key=K']);
    expect(collector.requests).toMatchObject([{ authorization, 'x-tenant': 'one' }]);
  });

  it('refuses two logins', async () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = collector.url.replace('//', '//user:pass@');
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'x=1,Authorization=Bearer%20abc' };
    await expect(start(env)).rejects.toThrow('has a login');
  });

  it('has the name and the whole URL that the environment gives', async () => {
    const { inSpan, tracing } = await start({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_SERVICE_NAME: 'indexer',
    });
    await inSpan('work', {}, () => Promise.resolve());
    await tracing.close();
    expect(collector.spans).toMatchObject([{ service: 'indexer', name: 'work' }]);
  });

  it.each([
    ['parentbased_always_on', '1', ['child', 'root']],
    ['parentbased_always_off', '1', ['child']],
    ['parentbased_traceidratio', '0', ['child']],
    ['always_on', '0', ['child', 'root']],
    ['always_off', '1', []],
    ['traceidratio', '1', ['child', 'root']],
    ['traceidratio', '0', []],
  ])('the sampler %s with the argument %s records %j', async (sampler, argument, recorded) => {
    const { inSpan, tracing, withRemoteParent } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: argument,
    });
    await withRemoteParent(REMOTE, () => inSpan('child', {}, () => Promise.resolve()));
    await inSpan('root', {}, () => Promise.resolve());
    await tracing.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(recorded);
  });

  it('without a collector records nothing', async () => {
    const { activeSpan, inSpan, tracing, lines } = await start({});
    expect(await inSpan('work', {}, () => Promise.resolve(activeSpan()))).toBeUndefined();
    await tracing.close();
    expect(lines).toEqual([]);
  });
});

describe('a collector that is away', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** @returns the URL of a server that accepts connections and does not answer */
  async function startSilentServer(): Promise<string> {
    const server = createServer().listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([
    ['refuses connections', () => Promise.resolve('http://127.0.0.1:1')],
    ['does not answer', startSilentServer],
  ])('and %s delays neither work nor a shutdown', async (_, findUrl) => {
    const { inSpan, tracing } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: await findUrl() });
    const startedAt = performance.now();
    for (let at = 0; at < 5_000; at++) await inSpan('work', {}, () => Promise.resolve());
    await tracing.close();
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it('is reported once', async () => {
    const collector = await TraceCollector.start();
    const url = `${collector.url}/nothing`; // answered with 404
    const { inSpan, lines, tracing } = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url });
    for (let at = 0; at < 2_000; at++) await inSpan('work', {}, () => Promise.resolve());
    await tracing.close();
    await collector.close();
    const [, ...rest] = lines.map(({ level, msg }) => [level, msg]);
    expect(rest).toEqual([['warn', 'traces cannot be exported, they are dropped']]);
  });
});
