import { getEventListeners } from 'node:events';
import { status } from '@grpc/grpc-js';
import { createTestStream, FakeYellowstone } from '@fresnel/testing/block-sources';
import { type FakeBlock, FakeNode, linkBlocks } from '@fresnel/testing/chain';

/** The same blocks, each without a time, so that they must be fetched. */
const timeless = (blocks: FakeBlock[]): FakeBlock[] =>
  blocks.map(({ slot, json }) => ({ slot, json: JSON.stringify({ ...JSON.parse(json), blockTime: null }) }));

describe('YellowstoneBlockSource', () => {
  let node: FakeNode;
  let yellowstone: FakeYellowstone;
  beforeEach(async () => {
    [node, yellowstone] = await Promise.all([FakeNode.start(linkBlocks([1000])), FakeYellowstone.start()]);
  });
  afterEach(async () => {
    yellowstone.close();
    await node.close();
  });

  describe('ends without an error and unsubscribes', () => {
    it.each([
      ['when the signal aborts while it waits for the next block', () => undefined],
      [
        'when the signal aborts while the stream is down',
        () => {
          yellowstone.subscriptionError = { code: status.UNAVAILABLE, details: '' };
          yellowstone.disconnect();
        },
      ],
      [
        'when the signal aborts while it fetches a block',
        () => {
          yellowstone.send(timeless(linkBlocks([1002])));
        },
      ],
    ])('%s', async (_, meanwhile) => {
      const { source } = createTestStream(node, yellowstone);
      const stop = new AbortController();
      const taken: number[] = [];
      const reading = (async () => {
        for await (const { slot } of source.blocks(null, stop.signal)) {
          taken.push(slot);
          if (slot !== 1001) continue;
          meanwhile();
          setImmediate(() => {
            stop.abort();
          });
        }
      })();
      await yellowstone.waitForSubscription();
      yellowstone.send(linkBlocks([1001]));
      await reading;
      expect(taken).toEqual([1000, 1001]);
      await yellowstone.waitUntilUnsubscribed();
      expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    });

    it('when the signal was aborted before the start', async () => {
      const { source } = createTestStream(node, yellowstone);
      for await (const { slot } of source.blocks(null, AbortSignal.abort())) expect(slot).toBeUndefined();
      expect(yellowstone.subscriptions).toEqual([]);
    });

    it('when its consumer stops the iteration', async () => {
      const { signal } = new AbortController();
      for await (const { slot } of createTestStream(node, yellowstone).source.blocks(null, signal)) {
        if (slot === 1000) break;
      }
      await yellowstone.waitUntilUnsubscribed();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });

  it('leaves one listener on the signal at most, after many omitted blocks', async () => {
    const { source } = createTestStream(node, yellowstone);
    const stop = new AbortController();
    const listeners = new Set<number>();
    const reading = (async () => {
      for await (const { slot } of source.blocks(null, stop.signal)) {
        listeners.add(getEventListeners(stop.signal, 'abort').length);
        node.add(linkBlocks([slot + 1]));
        yellowstone.send(linkBlocks([slot + 2]));
        if (slot === 1100) stop.abort();
      }
    })();
    await reading;
    expect(Math.max(...listeners)).toBe(1);
  });
});
