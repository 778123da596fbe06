import { eventually, Opened, postJson } from '@fresnel/testing/generic';
import { ProofHistory } from '@fresnel/testing/ledger';
import { type Environment, FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';
import { TraceCollector } from '@fresnel/testing/tracing';

/** Lets Node name each module that it loads. */
const NAME_MODULES = { NODE_DEBUG: 'module' };
const SDK = /@opentelemetry\/(sdk-trace|exporter-trace-otlp-http)/;
const PROOFS = 'getMultipleNewAddressProofs';

describe('the traces of one process', () => {
  const opened = new Opened();
  let ledger: LiveLedger;

  beforeEach(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 72, slots: 20, transactionsPerSlot: 1 }, 10));
  });
  afterEach(() => opened.close());

  /** Indexes the ledger, asks for a proof, and stops. @returns what the process wrote */
  async function runOnce(env: Environment): Promise<string> {
    const database = opened.add(await createTestDatabase());
    const app = FresnelProcess.start([], { ...ledger.env, DATABASE_URL: database.url, ...env });
    await app.waitForSlot(ledger.tip);
    const [{ address }] = new ProofHistory().questions;
    const url = await app.url();
    await eventually('a proof is served', async () => {
      const { body } = await postJson(url, { jsonrpc: '2.0', id: 1, method: PROOFS, params: [address] });
      return 'result' in (body as object);
    });
    expect((await app.end('SIGTERM')).code).toBe(0);
    return app.output;
  }

  it('follow a request to the trees, and a slot to the batches of both consumers', async () => {
    const collector = opened.add(await TraceCollector.start());
    const output = await runOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...NAME_MODULES });
    expect(output).toMatch(SDK);
    const { spans } = collector;
    expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['fresnel']));
    const call = spans.findLast(({ name }) => name === PROOFS);
    const ofCall = collector.trace(call?.traceId ?? '').map(({ name, kind }) => [name, kind]);
    expect(ofCall).toContainEqual(['read tree', 'internal']);
    const slot = spans.find(({ name, attributes }) => name === 'slot' && attributes['fresnel.slot'] === ledger.tip);
    const publish = collector.trace(slot?.traceId ?? '').find(({ name }) => name === 'publish');
    const linked = spans.filter(({ links }) => links.some(({ spanId }) => spanId === publish?.spanId));
    expect(linked.map(({ name }) => name).sort()).toEqual(['process slot-events', 'process tree-updates']);
  });

  it('cost nothing without a collector: the SDK is not loaded', async () => {
    const output = await runOnce(NAME_MODULES);
    expect(output).toMatch(/MODULE .*main\.js/);
    expect(output).not.toMatch(SDK);
  });

  it('are dropped while the collector refuses connections, and the process serves and stops as usual', async () => {
    const output = await runOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    expect(output).toContain('exporting traces');
    expect(output).not.toMatch(/"level":(50|60)/);
  });
});
