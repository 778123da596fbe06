import { status } from '@grpc/grpc-js';
import { type BlockRef } from '@fresnel/domain/chain';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { createTestStream, FakeYellowstone, takeSlots } from '@fresnel/testing/block-sources';
import { blockhashAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';

const refOf = (slot: number): BlockRef => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });

/** More than ten minutes. */
const LONG_OUTAGE_BLOCKS = 1_600;
/** More than a source buffers. */
const OUTAGE_BLOCKS = 12_000;

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

  const slotsAsked = () => node.requestsOf('getBlock').map(({ params }) => Number(params[0]));
  const startsAsked = () => yellowstone.subscriptions.map(({ request }) => request.fromSlot);

  it('reads a long outage from a stream that replays it', async () => {
    const missed = linkBlocks(range(1001, 1000 + OUTAGE_BLOCKS));
    yellowstone.send(missed);
    yellowstone.firstAvailable = 1001;
    const { source } = createTestStream(node, yellowstone);
    const slots = await takeSlots(source, missed.length, refOf(1000));
    expect(slots).toEqual(missed.map(({ slot }) => slot));
    expect([startsAsked(), slotsAsked()]).toEqual([['1001'], []]);
  });

  it('has a long replay bring only what names the program, and then follows whole blocks', async () => {
    const missed = linkBlocks(range(1001, 1000 + LONG_OUTAGE_BLOCKS));
    yellowstone.send(missed);
    yellowstone.firstAvailable = 1001;
    node.tip = toSlot(1000 + LONG_OUTAGE_BLOCKS);
    const { source } = createTestStream(node, yellowstone);
    const taking = takeSlots(source, missed.length + 3, refOf(1000));
    await yellowstone.waitForSubscription(2);
    yellowstone.send(linkBlocks(range(node.tip + 1, node.tip + 3), { parent: node.tip }));
    expect(await taking).toEqual(range(1001, node.tip + 3));
    expect(slotsAsked()).toEqual([]);
    const filters = yellowstone.subscriptions.map(({ request }) => request.blocks?.fresnel.accountInclude ?? []);
    expect(filters.slice(0, 2)).toEqual([[toBase58(LIVE_PROGRAMS.accountCompression)], []]);
  });

  it('stops reading over RPC when the stream starts to replay', async () => {
    const blocks = linkBlocks(range(1001, 1020));
    node.add(blocks.slice(0, 5));
    yellowstone.subscriptionError = { code: status.UNAVAILABLE, details: 'not yet' };
    yellowstone.firstAvailable = 1001;
    const { source } = createTestStream(node, yellowstone);
    const taking = takeSlots(source, 20, refOf(1000));
    await node.waitForRequest('getBlock', 5);
    yellowstone.send(blocks);
    yellowstone.subscriptionError = null;
    expect(await taking).toEqual(range(1001, 1020));
    expect(Math.max(...slotsAsked())).toBe(1005);
  });

  it('reads over RPC what the stream no longer has', async () => {
    const blocks = linkBlocks(range(1001, 1010));
    yellowstone.firstAvailable = 1006;
    const { source, lines } = createTestStream(node, yellowstone);
    const taking = takeSlots(source, 10, refOf(1000));
    await yellowstone.waitForSubscription();
    yellowstone.send(blocks.slice(5));
    node.add(blocks.slice(0, 5));
    expect(await taking).toEqual(range(1001, 1010));
    expect(startsAsked()).toEqual([undefined]);
    expect(lines[0]).toMatchObject({ fromSlot: 1001, first: 1006 });
  });

  it('reads over RPC what a server promises to replay and omits', async () => {
    yellowstone.firstAvailable = 900;
    yellowstone.replayMode = 'ignores';
    const blocks = linkBlocks(range(1001, 1006));
    node.add(blocks.slice(0, 5));
    const { source } = createTestStream(node, yellowstone);
    const taking = takeSlots(source, 6, refOf(1000));
    await yellowstone.waitForSubscription();
    yellowstone.send(blocks.slice(5));
    expect(await taking).toEqual(range(1001, 1006));
  });

  it('does not wait twice for a server that sends nothing', async () => {
    yellowstone.firstAvailable = 900;
    yellowstone.isSilent = true;
    node.add(linkBlocks(range(1001, 1004)));
    const { source } = createTestStream(node, yellowstone, { silenceMs: 100 });
    expect(await takeSlots(source, 4, refOf(1000))).toEqual(range(1001, 1004));
  });
});
