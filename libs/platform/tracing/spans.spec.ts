import { FresnelError } from '@fresnel/domain/primitives';
import { recordSpans } from '@fresnel/testing/tracing';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { registerSecret } from '../redaction';
import { activeSpan, addSpan, inSpan, linkSpans } from './spans';
import { remoteSpan, traceHeaders, withRemoteParent } from './trace-headers';

const REMOTE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${REMOTE.traceId}-${REMOTE.spanId}-01`;

class LostError extends FresnelError {
  readonly code = 'lost';
  readonly isRetryable = false;
}

describe('without an SDK', () => {
  it('work runs, and there is neither a span nor a header', async () => {
    const found = await inSpan('work', {}, (span) => {
      linkSpans(span, [{ ...REMOTE, traceFlags: 1 }]);
      addSpan('earlier', { startedAt: 1, endedAt: 2 });
      return Promise.resolve([activeSpan(), traceHeaders()]);
    });
    expect(found).toEqual([undefined, {}]);
    expect(remoteSpan({ traceparent: TRACEPARENT })).toBeUndefined();
    expect(withRemoteParent({ traceparent: TRACEPARENT }, () => 7)).toBe(7);
  });

  it('errors are thrown unchanged', async () => {
    const error = new LostError('gone');
    await expect(inSpan('work', {}, () => Promise.reject(error))).rejects.toBe(error);
  });
});

describe('with an SDK', () => {
  let recorded: ReturnType<typeof recordSpans>;
  beforeAll(() => (recorded = recordSpans()));
  beforeEach(() => {
    recorded.reset();
  });

  const ended = () => recorded.getFinishedSpans();

  it('a span is the child of the span around it, also after a pause', async () => {
    await inSpan('outer', { kind: 'server', attributes: { 'fresnel.slot': 5 } }, async () => {
      await new Promise(setImmediate);
      await inSpan('inner', {}, () => Promise.resolve());
    });
    const [inner, outer] = ended();
    expect([inner.name, outer.name]).toEqual(['inner', 'outer']);
    expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(outer.parentSpanContext).toBeUndefined();
    expect([outer.kind, inner.kind]).toEqual([SpanKind.SERVER, SpanKind.INTERNAL]);
    expect(outer.attributes).toEqual({ 'fresnel.slot': 5 });
  });

  it('a span whose work throws has the code of the error, and its message without secrets', async () => {
    registerSecret('correct-horse');
    const error = new LostError('no answer for correct-horse');
    await expect(inSpan('work', {}, () => Promise.reject(error))).rejects.toBe(error);
    const [{ status, attributes }] = ended();
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: 'no answer for [redacted]' });
    expect(attributes).toEqual({ 'error.type': 'lost' });
  });

  it('work that has ended becomes a child with its own times', async () => {
    const startedAt = Date.now() - 2_000;
    await inSpan('slot', { startedAt }, () => {
      addSpan('fetch', { startedAt, endedAt: startedAt + 500 });
      return Promise.resolve();
    });
    const [fetch, slot] = ended();
    expect(fetch.parentSpanContext?.spanId).toBe(slot.spanContext().spanId);
    expect(fetch.duration).toEqual([0, 500_000_000]);
    expect(slot.startTime).toEqual(fetch.startTime);
    expect(slot.duration[0]).toBe(2);
  });

  it('headers carry a span to another process', async () => {
    const headers = await inSpan('client', {}, () => Promise.resolve(traceHeaders()));
    const [client] = ended();
    const { traceId, spanId } = client.spanContext();
    expect(headers).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
    expect(remoteSpan({ traceparent: Buffer.from(headers.traceparent) })).toMatchObject({ traceId, spanId });
    await withRemoteParent(headers, () => inSpan('server', {}, () => Promise.resolve()));
    expect(ended()[1].parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true });
  });

  it.each([
    ['no header', {}],
    ['a malformed one', { traceparent: '00-xyz' }],
    ['two of them', { traceparent: [TRACEPARENT, TRACEPARENT] }],
  ])('%s: a span without a parent', async (_, headers) => {
    await withRemoteParent(headers, () => inSpan('server', {}, () => Promise.resolve()));
    expect(ended()[0].parentSpanContext).toBeUndefined();
  });

  it('a remote parent replaces the active span', async () => {
    await inSpan('connection', {}, () =>
      withRemoteParent({ traceparent: TRACEPARENT }, () => inSpan('server', {}, () => Promise.resolve())),
    );
    expect(ended()[0].parentSpanContext).toMatchObject(REMOTE);
  });

  it('links name each recorded span once, and the newest of very many', async () => {
    const origin = (at: number) => ({ ...REMOTE, spanId: String(at).padStart(16, '0'), traceFlags: 1 });
    const origins = Array.from({ length: 200 }, (_, at) => origin(at + 1));
    await inSpan('few', {}, (span) => {
      linkSpans(span, [origin(1), undefined, origin(1), origin(2), { ...origin(3), traceFlags: 0 }]);
      return Promise.resolve();
    });
    await inSpan('many', {}, (span) => {
      linkSpans(span, origins);
      return Promise.resolve();
    });
    const [few, many] = ended().map(({ links }) => links.map((link) => Number(link.context.spanId)));
    expect(few).toEqual([1, 2]);
    expect(many).toEqual(Array.from({ length: 128 }, (_, at) => at + 73));
  });
});
