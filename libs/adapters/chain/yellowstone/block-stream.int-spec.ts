import { getEventListeners, once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { toSlot } from '@fresnel/domain/primitives';
import { FakeYellowstone } from '@fresnel/testing/block-sources';
import { linkBlocks } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { BlockStream } from './block-stream';

const OPTIONS = { token: null, silenceMs: 3_600_000, backoff: { firstMs: 1, longestMs: 2 }, watched: null };

/** Starts with the next block, and ignores everything. */
const LISTENER = {
  resumeSlot: () => null,
  findCommitment: () => Promise.resolve('confirmed' as const),
  findTip: () => Promise.resolve(toSlot(1000)),
  onReplay: () => undefined,
  onBlock: () => undefined,
  isFull: () => false,
  waitForRoom: () => Promise.resolve(),
  onBreak: () => undefined,
};

const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Starts a gRPC server that answers every call with one message, compressed or not. */
async function startMessageServer(message: Buffer, isCompressed: boolean) {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    const content = isCompressed ? gzipSync(message) : message;
    const prefix = Buffer.alloc(5);
    prefix.writeUInt8(isCompressed ? 1 : 0);
    prefix.writeUInt32BE(content.length, 1);
    stream.on('error', () => undefined);
    stream.respond({
      ':status': 200,
      'content-type': 'application/grpc',
      ...(isCompressed ? { 'grpc-encoding': 'gzip' } : {}),
    });
    stream.write(Buffer.concat([prefix, content]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe('BlockStream', () => {
  let yellowstone: FakeYellowstone;
  let stop: AbortController;
  beforeEach(async () => {
    yellowstone = await FakeYellowstone.start();
    stop = new AbortController();
  });
  afterEach(() => {
    yellowstone.close();
  });

  function run(listener: { onBlock?: () => void; onBreak?: () => void }): Promise<void> {
    const stream = new BlockStream({ ...OPTIONS, url: yellowstone.url }, captureLog().logger);
    const usual = { ...LISTENER, resumeSlot: () => toSlot(1000) };
    return stream.run({ ...usual, ...listener }, stop.signal);
  }

  it('leaves no listener on the signal after many subscriptions', async () => {
    yellowstone.subscriptionError = { code: status.UNAVAILABLE, details: 'not now' };
    const running = run({});
    await yellowstone.waitForSubscription(20);
    // At most one for the subscription and one for the pause.
    expect(getEventListeners(stop.signal, 'abort').length).toBeLessThanOrEqual(2);
    stop.abort();
    await running;
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it.each([
    ['compressed', true, 'decompresses to a size larger than 1048576'],
    ['uncompressed', false, 'larger than max (2097152 vs 1048576)'],
  ])('ends a subscription with a %s message over the limit', async (_, isCompressed, reason) => {
    const server = await startMessageServer(Buffer.alloc(2 * MAX_MESSAGE_BYTES), isCompressed);
    const { logger, lines } = captureLog();
    const stream = new BlockStream({ ...OPTIONS, url: server.url, maxMessageBytes: MAX_MESSAGE_BYTES }, logger);
    const onBreak = () => {
      stop.abort();
    };
    await stream.run({ ...LISTENER, onBreak }, stop.signal);
    expect(lines.at(-1)?.reason).toMatch(/^RESOURCE_EXHAUSTED: /);
    expect(lines.at(-1)?.reason).toContain(reason);
    server.close();
  });

  it('calls onBreak after every break, and resumes from the same slot', async () => {
    const onBreak = jest.fn();
    const onBlock = jest.fn(() => {
      yellowstone.disconnect();
    });
    const running = run({ onBreak, onBlock });
    await yellowstone.waitForSubscription();
    yellowstone.send(linkBlocks([1000]));
    await yellowstone.waitForSubscription(3);
    stop.abort();
    await running;
    expect(onBreak.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(yellowstone.subscriptions.map(({ request }) => request.fromSlot).slice(0, 3)).toEqual([
      '1000',
      '1000',
      '1000',
    ]);
  });
});
