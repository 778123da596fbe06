import { type BlockRef } from '@fresnel/domain/chain';
import { type Block, LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { type GeneratedBlock, generateLedger } from '@fresnel/ledger-generator';
import {
  createTestSource,
  createTestStream,
  FakeYellowstone,
  takeBlocks,
  takeSlots,
} from '@fresnel/testing/block-sources';
import { blockhashAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
const { accountCompression } = LIVE_PROGRAMS;
const refOf = (slot: number): BlockRef => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });

describe('YellowstoneBlockSource', () => {
  let node: FakeNode;
  let yellowstone: FakeYellowstone;
  beforeEach(async () => {
    [node, yellowstone] = await Promise.all([FakeNode.start(), FakeYellowstone.start()]);
  });
  afterEach(async () => {
    yellowstone.close();
    await node.close();
  });

  const slotsAsked = () => node.requestsOf('getBlock').map(({ params }) => Number(params[0]));

  it('identifies the chain by the genesis hash of the node', async () => {
    const { source } = createTestStream(node, yellowstone);
    expect(await source.identify(new AbortController().signal)).toBe(node.genesisHash);
  });

  describe('delivers the same blocks as RPC', () => {
    /**
     * Adds all blocks to the node but lists only the first one, so that the others are announced by the stream alone.
     */
    async function addLedger(ledger: readonly GeneratedBlock[]): Promise<Block[]> {
      node.add(ledger);
      const blocks = await takeBlocks(createTestSource(node).source, ledger.length);
      for (const { slot } of ledger.slice(1)) node.unlisted.add(slot);
      node.requests.length = 0;
      return blocks;
    }

    async function stream(ledger: readonly GeneratedBlock[], onlyNaming: typeof accountCompression | null) {
      const { source, lines } = createTestStream(node, yellowstone, { onlyNaming });
      const taking = takeBlocks(source, ledger.length);
      await yellowstone.waitForSubscription();
      yellowstone.send(ledger.slice(1));
      return { blocks: await taking, lines };
    }

    it('with all transactions, meta and texts', async () => {
      const ledger = [...generateLedger({ seed: 31, slots: 60 })];
      const expected = await addLedger(ledger);
      const { blocks, lines } = await stream(ledger, null);
      expect(blocks).toEqual(expected);
      expect(lines).toMatchObject([{ level: 'info', slot: ledger[1].slot }]);
    });

    it('with the time of an ancestor if a block has none', async () => {
      const ledger = [...generateLedger({ seed: 34, slots: 10, emptyShare: 0.5 })].map((block, at) =>
        at === 4 || at === 5 ? { ...block, json: block.json.replace(/"blockTime":\d+/, '"blockTime":null') } : block,
      );
      const expected = await addLedger(ledger);
      expect(expected[5].blockTime).toBe(expected[3].blockTime);
      expect((await stream(ledger, null)).blocks.map(({ blockTime }) => blockTime)).toEqual(
        expected.map(({ blockTime }) => blockTime),
      );
    });

    it.each([
      ['supports version 1', true],
      ['reports version 1 as version 0', false],
    ])('without transactions if none of a block names the key, from a server that %s', async (_, supportsVersion1) => {
      yellowstone.supportsVersion1 = supportsVersion1;
      const ledger = [...generateLedger({ seed: 33, slots: 150, transactionsPerSlot: 0.5 })];
      const expected = await addLedger(ledger);
      const { blocks } = await stream(ledger, accountCompression);
      const parser = new TransactionParser(LIVE_PROGRAMS);
      const asked = new Set(slotsAsked());
      expected.forEach((block, at) => {
        if (asked.has(block.slot)) return;
        // A block that was not fetched has the same header, and its omitted transactions do not use compression.
        expect(block.transactions.map(({ json }) => parser.parse(json)).filter(Boolean)).toEqual([]);
        const transactionCount = block.transactionCount === 0 ? 1 : block.transactionCount; // what the stream said
        expected[at] = { ...block, transactionCount, transactions: [], signatures: null };
      });
      expect(blocks).toEqual(expected);
      const quiet = ledger.filter(({ slot, facts }) => facts.transactions.length > 0 && !asked.has(slot));
      expect(quiet.length).toBeGreaterThan(5);
    });
  });

  it('delivers all blocks of a long replay, in which the server leaves out transactions that do not name the key', async () => {
    const ledger = [...generateLedger({ seed: 33, slots: 150, transactionsPerSlot: 0.5 })];
    node.add(ledger);
    const [first, ...expected] = await takeBlocks(createTestSource(node).source, ledger.length);
    node.requests.length = 0;
    for (const { slot } of ledger.slice(1)) node.unlisted.add(slot);
    node.tip += 5_000;
    yellowstone.firstAvailable = first.slot;
    yellowstone.send(ledger.slice(1));
    const { source } = createTestStream(node, yellowstone);
    const blocks = await takeBlocks(source, expected.length, first);
    expect(yellowstone.subscriptions.map(({ request }) => request.blocks?.fresnel.accountInclude)).toEqual([
      [toBase58(accountCompression)],
    ]);
    const parser = new TransactionParser(LIVE_PROGRAMS);
    const namesOf = ({ transactions }: Block) => transactions.filter(({ json }) => parser.parse(json));
    expect(blocks.map(namesOf)).toEqual(expected.map(namesOf));
    expect(blocks.map(({ blockhash }) => blockhash)).toEqual(expected.map(({ blockhash }) => blockhash));
    expect(new Set(slotsAsked()).size).toBeLessThan(expected.length - 5);
  });

  describe('subscribes', () => {
    it('to confirmed blocks from the given slot on, without transactions if all blocks are fetched', async () => {
      node.add(linkBlocks([1000]));
      await Promise.all([
        takeSlots(createTestStream(node, yellowstone, { onlyNaming: null }).source, 1, refOf(1000)),
        addLater(1001),
      ]);
      expect(yellowstone.subscriptions).toMatchObject([
        {
          request: { blocks: { fresnel: { includeTransactions: false } }, commitment: 'CONFIRMED', fromSlot: '1001' },
          token: undefined,
        },
      ]);
    });

    it('with transactions if only some blocks are fetched, and without a start slot if none is given', async () => {
      node.add(linkBlocks([1000]));
      const { source } = createTestStream(node, yellowstone, { token: 'secret' });
      await Promise.all([takeSlots(source, 2), addLater(1001)]);
      const [{ request, token }] = yellowstone.subscriptions;
      expect(request.blocks?.fresnel).toMatchObject({ includeTransactions: true });
      expect([request.fromSlot, token]).toEqual([undefined, 'secret']);
    });

    async function addLater(slot: number): Promise<void> {
      await yellowstone.waitForSubscription();
      node.add(linkBlocks([slot]));
    }

    it('and answers pings', async () => {
      const { source } = createTestStream(node, yellowstone);
      const taking = takeSlots(source, 1);
      await yellowstone.waitForSubscription();
      yellowstone.ping();
      await yellowstone.waitForPong();
      node.add(linkBlocks([1000]));
      expect(await taking).toEqual([1000]);
    });
  });

  describe('combines', () => {
    /** Reads `count` blocks from a node that has the `known` slots. `send` runs after the subscription. */
    async function take(count: number, known: readonly number[], send: () => void): Promise<number[]> {
      node.add(linkBlocks(known));
      const taking = takeSlots(createTestStream(node, yellowstone).source, count);
      await yellowstone.waitForSubscription();
      send();
      return taking;
    }

    it('older blocks from the node and newer blocks from the stream', async () => {
      const slots = await take(60, range(1000, 1049), () => {
        yellowstone.send(linkBlocks(range(1050, 1059)));
      });
      expect(slots).toEqual(range(1000, 1059));
      expect(Math.max(...slotsAsked())).toBe(1049);
    });

    it('blocks that arrive in any order and more than once', async () => {
      const blocks = linkBlocks(range(1001, 1009));
      const slots = await take(10, [1000], () => {
        yellowstone.send([5, 0, 0, 2, 1, 3, 8, 2, 4, 7, 6, 8, 0].map((at) => blocks[at]));
      });
      expect(slots).toEqual(range(1000, 1009));
    });

    it('a chain with slots that have no block', async () => {
      const slots = [1000, 1003, 1004, 1009];
      expect(
        await take(4, [1000], () => {
          yellowstone.send(linkBlocks(slots).slice(1));
        }),
      ).toEqual(slots);
    });

    it.each([
      ['one', [1004]],
      ['the first', [1001]],
      ['several', [1002, 1003, 1006]],
    ])('the stream with blocks from the node that it omits: %s', async (_, missing) => {
      const blocks = linkBlocks(range(1001, 1009));
      const slots = await take(10, [1000], () => {
        node.add(blocks.filter(({ slot }) => slot <= Math.max(...missing)));
        yellowstone.send(blocks.filter(({ slot }) => !missing.includes(slot)));
      });
      expect(slots).toEqual(range(1000, 1009));
    });

    it('a node that is behind the stream with a stream that omits blocks', async () => {
      const blocks = linkBlocks(range(1001, 1006));
      const slots = await take(7, [1000], () => {
        yellowstone.send(blocks.filter(({ slot }) => slot !== 1003));
        void node.waitForRequest('getSlot', node.requestsOf('getSlot').length + 5).then(() => {
          node.add(blocks.slice(0, 3));
        });
      });
      expect(slots).toEqual(range(1000, 1006));
    });
  });

  it('reports the newest slot of node and stream as the tip', async () => {
    node.add(linkBlocks([1000, 1001]));
    const { source } = createTestStream(node, yellowstone);
    expect(source.tip).toBeNull();
    const tips: unknown[] = [];
    const stop = new AbortController();
    for await (const { slot } of source.blocks(null, stop.signal)) {
      tips.push(source.tip?.slot);
      if (slot === 1001) {
        await yellowstone.waitForSubscription();
        yellowstone.send(linkBlocks([1002]));
      }
      if (slot === 1002) stop.abort();
    }
    expect(tips).toEqual([1001, 1001, 1002]);
    expect(source.tip?.seenAt).toBeInstanceOf(Date);
  });
});
