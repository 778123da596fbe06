import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createTestSource } from '@fresnel/testing/block-sources';
import {
  BLOCK_CLEANED_UP,
  BLOCK_NOT_AVAILABLE,
  blockhashAt,
  FakeNode,
  linkBlocks,
  LONG_TERM_SLOT_SKIPPED,
  range,
  SLOT_SKIPPED,
} from '@fresnel/testing/chain';
import { IngestOnNode } from '@fresnel/testing/ingest';
import { NOTHING_PUBLISHED } from './resume-point';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const refs = (slots: readonly number[], branch = 'main') => slots.map((slot) => refOf(slot, branch));
const MAIN = linkBlocks(range(1000, 1010));
/** A branch that leaves the chain after 1005. */
const OTHER = linkBlocks(range(1006, 1012), { branch: 'other' });
const OPEN_QUESTION = 'unlinked block: nothing is published until the finalized chain shows which blocks are orphaned';

describe('FollowService with nodes that are wrong or disagree', () => {
  let ingest: IngestOnNode;
  let second: FakeNode;
  beforeEach(async () => {
    [ingest, second] = await Promise.all([IngestOnNode.open(), FakeNode.start(MAIN)]);
    ingest.node.add(MAIN);
  });
  afterEach(async () => {
    await ingest.close();
    await second.close();
  });

  /** Starts an ingest with two endpoints. */
  const startWithBoth = () => {
    const followed = createTestSource([ingest.node, second], { startSlot: toSlot(1000) });
    void ingest.start(followed);
    ingest.lines = followed.lines;
  };
  const openQuestions = () => ingest.lines.filter(({ msg }) => msg === OPEN_QUESTION);
  /** Waits until the finalized chain was asked for repeatedly. */
  const untilAskedAgain = async (node = ingest.node) => {
    const asked = () => node.requestsOf('getSlot').filter(({ params }) => JSON.stringify(params).includes('finalized'));
    const before = asked().length;
    await ingest.until(() => asked().length >= before + 4);
  };
  const reverts = () => ingest.bus.ofKind('slot-reverted');

  it('publishes nothing after an unlinked block until the new branch is finalized, and says once what it waits for', async () => {
    void ingest.start();
    await ingest.untilPublished(1010);
    ingest.node.switchBranch(1005, OTHER);
    ingest.node.finalizedLag = 3;
    await untilAskedAgain();
    expect([ingest.blocks, reverts()]).toEqual([refs(range(1000, 1010)), []]);
    expect(openQuestions()).toMatchObject([{ level: 'warn', slot: 1011, last: 1010, awaitedSlot: 1010, endpoint: 1 }]);
    expect(await ingest.valueOf('fresnel_ingest_waits_for_evidence')).toBe(1);
    ingest.node.add(linkBlocks([1013], { branch: 'other', from: 'other' }));
    await ingest.untilPublished(1013, 'other');
    expect(ingest.reverts(SLOT_EVENTS)).toMatchObject(refs(range(1006, 1010)).reverse());
    expect(ingest.blocksOfConsumers(SLOT_EVENTS)).toEqual([
      ...refs(range(1000, 1005)),
      ...refs(range(1006, 1013), 'other'),
    ]);
    expect(await ingest.valueOf('fresnel_ingest_waits_for_evidence')).toBe(0);
  });

  it.each([
    ['not available', BLOCK_NOT_AVAILABLE],
    ['skipped', SLOT_SKIPPED],
    ['skipped or lost', LONG_TERM_SLOT_SKIPPED],
    ['cleaned up', BLOCK_CLEANED_UP],
  ])('reverts nothing because a node calls all published blocks %s', async (_, code) => {
    void ingest.start();
    await ingest.untilPublished(1010);
    for (const slot of range(1000, 1010)) ingest.node.fail({ kind: 'error', code }, { slot, times: Infinity });
    ingest.node.add(linkBlocks([1011], { branch: 'odd', parent: 1005, from: 'main' }));
    await untilAskedAgain();
    ingest.node.heal();
    ingest.node.add(linkBlocks(range(1011, 1012)));
    await ingest.untilPublished(1012);
    expect([ingest.blocks, reverts()]).toEqual([refs(range(1000, 1012)), []]);
  });

  it('reverts nothing while one endpoint leaves the chain, and continues when it comes back', async () => {
    startWithBoth();
    await ingest.untilPublished(1010);
    ingest.node.switchBranch(1005, OTHER);
    await untilAskedAgain(second);
    expect(openQuestions()).toMatchObject([{ endpoint: null, reason: 'endpoints give different branches' }]);
    ingest.node.switchBranch(1005, linkBlocks(range(1006, 1014)));
    second.add(linkBlocks(range(1011, 1014)));
    await ingest.untilPublished(1014);
    expect([ingest.blocks, reverts()]).toEqual([refs(range(1000, 1014)), []]);
  });

  it('follows a fork when the second endpoint follows it too', async () => {
    startWithBoth();
    await ingest.untilPublished(1010);
    ingest.node.switchBranch(1005, OTHER);
    await untilAskedAgain(second);
    expect(reverts()).toEqual([]);
    second.switchBranch(1005, OTHER);
    await ingest.untilPublished(1012, 'other');
    expect(ingest.reverts(SLOT_EVENTS)).toMatchObject(refs(range(1006, 1010)).reverse());
  });

  it('waits while both endpoints are behind', async () => {
    startWithBoth();
    await ingest.untilPublished(1010);
    ingest.node.switchBranch(1005, OTHER);
    second.switchBranch(1005, OTHER);
    ingest.node.finalizedLag = second.finalizedLag = 32;
    await untilAskedAgain();
    expect([ingest.blocks.length, reverts()]).toEqual([11, []]);
    second.finalizedLag = 0;
    await untilAskedAgain();
    expect(reverts()).toEqual([]);
    ingest.node.finalizedLag = 0;
    await ingest.untilPublished(1012, 'other');
  });

  it('follows a fork with one endpoint while the other one is down', async () => {
    startWithBoth();
    await ingest.untilPublished(1010);
    second.fail({ kind: 'status', status: 503 }, { times: Infinity });
    ingest.node.switchBranch(1005, OTHER);
    await ingest.untilPublished(1012, 'other');
    expect(ingest.reverts(SLOT_EVENTS)).toMatchObject(refs(range(1006, 1010)).reverse());
  });

  it('does not revert what another ingest published because its own node is on a minority fork', async () => {
    void ingest.start();
    await ingest.untilPublished(1010);
    second.switchBranch(1005, linkBlocks(range(1006, 1011), { branch: 'minority' }));
    second.finalizedLag = 20;
    const published = refs(range(1000, 1010));
    const { source, lines } = createTestSource(second);
    void ingest.start({ source, lines, find: () => Promise.resolve({ ...NOTHING_PUBLISHED, published }) });
    ingest.lines = lines;
    await untilAskedAgain(second);
    expect(openQuestions()).toHaveLength(1);
    second.switchBranch(1005, linkBlocks(range(1006, 1014)));
    ingest.node.add(linkBlocks(range(1011, 1014)));
    await ingest.until(() => ingest.blocks.filter(({ slot }) => slot === 1014).length === 2);
    expect(reverts()).toEqual([]);
    expect(ingest.blocksOfConsumers(SLOT_EVENTS)).toEqual(refs(range(1000, 1014)));
  });

  it.each(range(0, 10))('adopts wrongly reverted blocks, also if it is killed after %d messages', async (count) => {
    const published = refs(range(1000, 1005));
    const reverted = refs(range(1006, 1008)).map((block) => ({ kind: 'slot-reverted' as const, ...block }));
    const kill = new AbortController();
    const publish = ingest.bus.publish.bind(ingest.bus);
    let messages = 0;
    jest.spyOn(ingest.bus, 'publish').mockImplementation(async (topic, given, signal) => {
      for (const message of given) {
        if (messages++ === count) kill.abort();
        kill.signal.throwIfAborted();
        await publish(topic, [message], signal);
      }
    });
    const find = () => Promise.resolve({ ...NOTHING_PUBLISHED, published, reverted });
    await ingest.start({ find }, kill.signal).catch(() => undefined);
    jest.restoreAllMocks();
    void ingest.start({ find });
    await ingest.untilPublished(1010);
    expect(ingest.blocksOfConsumers(SLOT_EVENTS)).toEqual(refs(range(1006, 1010)));
    const last = (slot: number) =>
      ingest.bus.inTopic(TREE_UPDATES).findLast((message) => 'slot' in message && message.slot === slot);
    expect([1006, 1007, 1008].map((slot) => last(slot)?.kind)).not.toContain('slot-reverted');
  });
});
