import { getEventListeners } from 'node:events';
import { status } from '@grpc/grpc-js';
import { toSlot } from '@fresnel/domain/primitives';
import { FakeYellowstone } from '@fresnel/testing/block-sources';
import { linkBlocks } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { BlockStream } from './block-stream';

const OPTIONS = { token: null, silenceMs: 3_600_000, backoff: { firstMs: 1, longestMs: 2 }, watched: null };

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
    const usual = { resumeSlot: () => toSlot(1000), onBlock: () => undefined, onBreak: () => undefined };
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
