import { ProofHistory } from '@fresnel/testing/ledger';
import { eventually, Opened, sendHttp } from '@fresnel/testing/generic';
import { LiveLedger, StackUnderTest } from '@fresnel/testing/stack';
import { type CollectedSpan, TraceCollector } from '@fresnel/testing/tracing';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const PROVE = 'fresnel.prover.v1.Prover/ProveNewAddresses';

describe('the traces of the stack', () => {
  const opened = new Opened();
  let collector: TraceCollector;
  let ledger: LiveLedger;
  let stack: StackUnderTest;

  beforeAll(async () => {
    collector = opened.add(await TraceCollector.start());
    ledger = opened.add(await LiveLedger.open({ seed: 71, slots: 60, transactionsPerSlot: 1 }, 20));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LOG_LEVEL: 'debug' };
    const replicas = 'ingest=1,projector=1,prover=1,gateway=1';
    stack = opened.add(await StackUnderTest.start(ledger, { replicas, env }));
  });
  afterAll(() => opened.close());

  /** Spans are exported every few seconds. */
  async function waitForSpans(find: () => readonly CollectedSpan[], count: number): Promise<readonly CollectedSpan[]> {
    await eventually(`${count} spans are exported`, () => find().length >= count);
    return find();
  }

  const childrenOf = ({ spanId }: CollectedSpan) => collector.spans.filter((span) => span.parentSpanId === spanId);
  const namesOf = (spans: readonly CollectedSpan[]) => spans.map(({ name }) => name);

  it('follow a request from the gateway to the prover, in the trace of the caller, and are named in its log lines', async () => {
    const [{ address }] = new ProofHistory().questions;
    const { status, headers } = await sendHttp(stack.url, {
      headers: { 'content-type': 'application/json', traceparent: `00-${TRACE_ID}-${CALLER}-01` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getMultipleNewAddressProofs', params: [address] }),
    });
    expect(status).toBe(200);
    const spans = await waitForSpans(() => collector.trace(TRACE_ID), 6);
    // Starts are exact to a millisecond: spans are found by their parents, and children are in the order of their ends.
    const [call] = spans.filter(({ parentSpanId }) => parentSpanId === CALLER);
    expect(call).toMatchObject({
      service: 'fresnel-gateway',
      name: 'getMultipleNewAddressProofs',
      kind: 'server',
      parentSpanId: CALLER,
      hasFailed: false,
      attributes: {
        'rpc.system.name': 'jsonrpc',
        'rpc.method': 'getMultipleNewAddressProofs',
        'fresnel.request_id': headers['x-request-id'],
      },
    });
    // The proof is as of the newest change that the read named, so the branch is not asked for again.
    const [read, proof, ...checks] = childrenOf(call);
    expect(read).toMatchObject({ kind: 'client', attributes: { 'db.system.name': 'postgresql' } });
    expect(proof).toMatchObject({ service: 'fresnel-gateway', name: PROVE, kind: 'client' });
    expect(checks).toEqual([]);
    const [served, ...more] = childrenOf(proof);
    expect(more).toEqual([]);
    expect(served).toMatchObject({
      service: 'fresnel-prover',
      name: PROVE,
      kind: 'server',
      attributes: { 'rpc.system.name': 'grpc', 'rpc.method': PROVE },
    });
    expect(namesOf(childrenOf(served))).toEqual(['wait for slot', 'read tree']);
    expect(spans).toHaveLength(6);
    // They are named in the log lines of the request.
    const line = (service: string, message: string) => {
      const lines = stack.process.output.split('\n').filter((text) => text.includes(`"trace_id":"${TRACE_ID}"`));
      return lines
        .map((text) => JSON.parse(text) as Record<string, string>)
        .find((entry) => entry.service === service && entry.msg === message);
    };
    expect(line('fresnel-gateway', 'call answered')?.span_id).toBe(call.spanId);
    expect(line('fresnel-prover', 'proof call answered')?.span_id).toBe(served.spanId);
  });

  it('have the code of a call that is refused, which has not failed', async () => {
    const traceId = '1'.repeat(32);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getCompressedAccount', params: { hash: '?' } });
    const headers = { 'content-type': 'application/json', traceparent: `00-${traceId}-${CALLER}-01` };
    await sendHttp(stack.url, { headers, body });
    const [call] = await waitForSpans(() => collector.trace(traceId), 1);
    expect(call).toMatchObject({ name: 'getCompressedAccount', hasFailed: false });
    expect(call.attributes).toMatchObject({ 'rpc.status_code': '-32602' });
  });

  it('follow a slot from its fetch to the batches of the consumers', async () => {
    ledger.reveal(1);
    await stack.waitForTip();
    const isSlot = (span: CollectedSpan) => span.name === 'slot' && span.attributes['fresnel.slot'] === ledger.tip;
    const [slot] = await waitForSpans(() => collector.spans.filter(isSlot), 1);
    expect(slot).toMatchObject({ service: 'fresnel-ingest', parentSpanId: undefined });
    const stages = childrenOf(slot);
    expect(namesOf(stages)).toEqual(['fetch', 'decode', 'publish']);
    const [fetch, decode, publish] = stages;
    expect(slot.start).toBe(fetch.start);
    expect(decode.start).toBeGreaterThanOrEqual(fetch.end);
    // A slot is in several batches of the prover: one for each partition of its trees.
    const findBatches = () => collector.spans.filter((span) => isLinked(span, publish));
    const batchOf = (service: string) => findBatches().find((span) => span.service === service);
    await eventually('both consumers export a batch with the slot', () => {
      return batchOf('fresnel-projector') !== undefined && batchOf('fresnel-prover') !== undefined;
    });
    expect(batchOf('fresnel-projector')).toMatchObject({ kind: 'consumer', parentSpanId: undefined });
    expect(batchOf('fresnel-prover')).toMatchObject({ kind: 'consumer', parentSpanId: undefined });
    expect(batchOf('fresnel-projector')?.name).toMatch(/^process .*slot-events$/);
    expect(batchOf('fresnel-prover')?.name).toMatch(/^process .*tree-updates$/);
    for (const batch of findBatches()) expect(batch.events).toEqual(['decoded']);
  });

  it('have the stages of the batches', async () => {
    const stagesOf = (service: string) => {
      const batch = collector.spans.find((span) => span.service === service && span.kind === 'consumer');
      return batch ? childrenOf(batch) : [];
    };
    const [fold, persist] = await waitForSpans(() => stagesOf('fresnel-projector'), 2);
    expect([fold.name, persist.name]).toEqual(['fold', 'persist']);
    expect(namesOf(childrenOf(persist))).toEqual(['write slots', 'advance indexed slot']);
    expect(namesOf(await waitForSpans(() => stagesOf('fresnel-prover'), 2))).toEqual(['apply', 'commit']);
  });

  it('are complete after a shutdown: every parent of a span was exported', async () => {
    expect(await stack.end()).toBe(0);
    const known = new Set([CALLER, ...collector.spans.map(({ spanId }) => spanId)]);
    const orphans = collector.spans.filter(
      ({ parentSpanId }) => parentSpanId !== undefined && !known.has(parentSpanId),
    );
    expect(orphans).toEqual([]);
    expect(new Set(collector.spans.map(({ service }) => service))).toEqual(
      new Set(['fresnel-gateway', 'fresnel-ingest', 'fresnel-projector', 'fresnel-prover']),
    );
  });
});

function isLinked(span: CollectedSpan, { traceId, spanId }: CollectedSpan): boolean {
  return span.links.some((link) => link.traceId === traceId && link.spanId === spanId);
}
