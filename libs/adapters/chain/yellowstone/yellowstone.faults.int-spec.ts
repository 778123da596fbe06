import { status } from '@grpc/grpc-js';
import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createTestStream, FakeYellowstone, takeSlots } from '@fresnel/testing/block-sources';
import { blockhashAt, type FakeBlock, FakeNode, linkBlocks, range, SLOT_SKIPPED } from '@fresnel/testing/chain';
import { ForkError, MissingHistoryError } from '../block-source';
import { GeyserEndpointError } from './geyser-client';

const refOf = (slot: number): BlockRef => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });

/** The same blocks, each with an empty transaction, so that they must be fetched. */
const filled = (blocks: FakeBlock[]): FakeBlock[] =>
  blocks.map(({ slot, json }) => ({ slot, json: JSON.stringify({ ...JSON.parse(json), transactions: [{}] }) }));

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

  describe('resumes', () => {
    /**
     * Reads 1000 to 1006: up to 1003 from one subscription, the others from the next one. `meanwhile` runs in between.
     */
    async function takeAcross(meanwhile: () => Promise<void> | void) {
      const { source, lines } = createTestStream(node, yellowstone);
      const taken: number[] = [];
      const stop = new AbortController();
      const reading = (async () => {
        for await (const { slot } of source.blocks(null, stop.signal)) {
          taken.push(slot);
          if (slot === 1003) {
            yellowstone.disconnect();
            await meanwhile();
          }
          if (slot === 1006) stop.abort();
        }
      })();
      await yellowstone.waitForSubscription();
      yellowstone.send(linkBlocks(range(1001, 1003)));
      await reading;
      return { taken, lines, asked: yellowstone.subscriptions.map(({ request }) => request.fromSlot) };
    }

    it('with a server that sends the missed blocks', async () => {
      const { taken, asked, lines } = await takeAcross(() => {
        yellowstone.send(linkBlocks(range(1004, 1006)));
      });
      expect([taken, asked.slice(0, 2)]).toEqual([range(1000, 1006), [undefined, '1004']]);
      expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
        { reason: 'UNAVAILABLE: server shutdown', blocks: 3, attempt: 1 },
      ]);
    });

    it('with a server that sends more than the missed blocks', async () => {
      const { taken } = await takeAcross(async () => {
        yellowstone.replayMode = 'ignores';
        await yellowstone.waitForSubscription(2);
        yellowstone.send(linkBlocks(range(1001, 1006)));
      });
      expect(taken).toEqual(range(1000, 1006));
    });

    it.each([
      ['cannot resume', 'refuses', [undefined, '1004', undefined]],
      ['does not resume and reports no error', 'ignores', [undefined, '1004']],
    ] as const)(
      'with a server that %s, by reading the missed blocks from the node',
      async (_, resuming, subscriptions) => {
        yellowstone.replayMode = resuming;
        const { taken, asked } = await takeAcross(async () => {
          node.add(linkBlocks(range(1001, 1005)));
          await yellowstone.waitForSubscription(subscriptions.length);
          yellowstone.send(linkBlocks([1006]));
        });
        expect([taken, asked]).toEqual([range(1000, 1006), subscriptions]);
      },
    );

    it('after the stream sends nothing for too long', async () => {
      yellowstone.isSilent = true;
      const { source, lines } = createTestStream(node, yellowstone, { silenceMs: 200 });
      const taking = takeSlots(source, 4);
      await yellowstone.waitForSubscription(2);
      expect(lines[0]).toMatchObject({ level: 'warn', reason: 'no block within 200 ms' });
      yellowstone.isSilent = false;
      yellowstone.send(linkBlocks(range(1001, 1003)));
      expect(await taking).toEqual(range(1000, 1003));
    });

    it('after the stream sends only pings for too long', async () => {
      yellowstone.isSilent = true;
      const { source } = createTestStream(node, yellowstone, { silenceMs: 60 });
      const taking = takeSlots(source, 2);
      await yellowstone.waitForSubscription();
      const pinging = setInterval(() => {
        yellowstone.ping();
      }, 10);
      await yellowstone.waitForSubscription(2);
      clearInterval(pinging);
      node.add(linkBlocks([1001]));
      expect(await taking).toEqual([1000, 1001]);
    });
  });

  describe('delivers blocks over RPC alone', () => {
    it('while no server listens at the address of the stream', async () => {
      yellowstone.close();
      const { source, lines } = createTestStream(node, yellowstone);
      const taken: number[] = [];
      const stop = new AbortController();
      for await (const { slot } of source.blocks(null, stop.signal)) {
        taken.push(slot);
        if (lines.length > 2) stop.abort();
        node.add(linkBlocks([slot + 1]));
      }
      expect(taken).toEqual(range(1000, 999 + taken.length));
      for (const line of lines) {
        expect(line).toMatchObject({ level: 'warn', reason: expect.stringMatching(/^UNAVAILABLE: /) });
      }
    });

    it('after a stream that delivered blocks is gone', async () => {
      const { source } = createTestStream(node, yellowstone);
      const taken: number[] = [];
      const stop = new AbortController();
      const reading = (async () => {
        for await (const { slot } of source.blocks(null, stop.signal)) {
          taken.push(slot);
          if (slot === 1001) {
            yellowstone.close();
            node.add(linkBlocks(range(1001, 1003)));
          }
          if (slot === 1003) stop.abort();
        }
      })();
      await yellowstone.waitForSubscription();
      yellowstone.send(linkBlocks([1001]));
      await reading;
      expect(taken).toEqual(range(1000, 1003));
    });

    it('if TLS is configured and the server has none; it then receives no request', async () => {
      const { source, lines } = createTestStream(
        node,
        { url: yellowstone.url.replace('http://127.0.0.1', 'https://localhost') },
        { token: 'x' },
      );
      const stop = new AbortController();
      for await (const { slot } of source.blocks(null, stop.signal)) {
        if (lines.length > 1) stop.abort();
        node.add(linkBlocks([slot + 1]));
      }
      expect([lines[0].level, yellowstone.subscriptions]).toEqual(['warn', []]);
    });

    it('while the stream rejects the token, which is not logged and is sent again', async () => {
      yellowstone.subscriptionError = { code: status.UNAUTHENTICATED, details: 'unknown token "s3cret-token"' };
      const { source, lines } = createTestStream(node, yellowstone, { token: 's3cret-token' });
      const taking = takeSlots(source, 2);
      await yellowstone.waitForSubscription(3);
      node.add(linkBlocks([1001]));
      expect(await taking).toEqual([1000, 1001]);
      expect(yellowstone.subscriptions[2].token).toBe('s3cret-token');
      expect(lines[0]).toMatchObject({ level: 'error', reason: 'UNAUTHENTICATED: unknown token "…"' });
      expect(JSON.stringify(lines)).not.toContain('s3cret');
    });

    it('for a block that the stream encodes wrongly', async () => {
      const { source, lines } = createTestStream(node, yellowstone);
      const taking = takeSlots(source, 4);
      const [first, second, third] = linkBlocks(range(1001, 1003));
      await yellowstone.waitForSubscription();
      node.add([first, second]);
      yellowstone.send([first, { ...second, json: second.json.replace('"blockhash":"', '"blockhash":"0') }, third]);
      expect(await taking).toEqual(range(1000, 1003));
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'warn', reason: expect.stringContaining('45 base58 characters') }),
      );
    });
  });

  describe('follows the node', () => {
    it('if node and stream have different blocks at a slot', async () => {
      const { source, lines } = createTestStream(node, yellowstone, { onlyNaming: null });
      const taking = takeSlots(source, 4);
      await yellowstone.waitForSubscription();
      const [next, ...others] = linkBlocks(range(1001, 1003));
      yellowstone.send([next, ...filled(linkBlocks([1002], { branch: 'other', parent: 1001 }))]);
      node.add([next, ...others]);
      expect(await taking).toEqual(range(1000, 1003));
      expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', slot: 1002 }));
    });

    it('if the node does not have a block at first', async () => {
      node.fail({ kind: 'error', code: SLOT_SKIPPED }, { slot: 1001 });
      node.add(filled(linkBlocks(range(1001, 1003))));
      node.tip = 1000;
      const { source } = createTestStream(node, yellowstone, { onlyNaming: null });
      const taking = takeSlots(source, 4);
      await yellowstone.waitForSubscription();
      yellowstone.send(filled(linkBlocks(range(1001, 1003))));
      await node.waitForRequest('getBlock', 3);
      node.tip = 1003;
      expect(await taking).toEqual(range(1000, 1003));
    });
  });

  describe('fails', () => {
    it('when a block is not the child of the last one', async () => {
      const { source } = createTestStream(node, yellowstone);
      const others = linkBlocks([1002, 1003], { branch: 'other', parent: 1001 });
      const taken: number[] = [];
      const reading = (async () => {
        for await (const { slot } of source.blocks(null, new AbortController().signal)) {
          taken.push(slot);
          if (slot !== 1002) continue;
          node.add([...linkBlocks([1001]), ...others]);
          yellowstone.send(others);
        }
      })();
      await yellowstone.waitForSubscription();
      yellowstone.send(linkBlocks([1001, 1002]));
      await expect(reading).rejects.toThrow(ForkError);
      await expect(reading).rejects.toThrow(/the parent of block 1003 is 1002 .*the last block is 1002/);
      expect(taken).toEqual([1000, 1001, 1002]);
      await yellowstone.waitUntilUnsubscribed();
    });

    it('when the node no longer has the next block', async () => {
      node.firstAvailable = 1010;
      node.add(linkBlocks(range(1010, 1012)));
      const { source } = createTestStream(node, yellowstone);
      await expect(takeSlots(source, 1, refOf(1000))).rejects.toThrow(MissingHistoryError);
    });

    it('when the URL of the stream is invalid, without repeating it', async () => {
      const { source } = createTestStream(node, { url: 'grpc://key.example.com' });
      const taking = takeSlots(source, 9);
      await expect(taking).rejects.toThrow(GeyserEndpointError);
      await expect(taking).rejects.not.toThrow('key');
    });
  });
});
