import { ForkError } from '@fresnel/adapters/chain';
import { PROJECTOR_GROUP, PROVER_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { generatedTrees } from '@fresnel/ledger-generator';
import { createTestStream, FakeYellowstone } from '@fresnel/testing/block-sources';
import { blockhashAt, linkBlocks, range } from '@fresnel/testing/chain';
import { IngestOnNode, type RecordingBus } from '@fresnel/testing/ingest';
import { TreeRegistry } from '../read/tree-registry';

const FIRST = 1000;
const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const refs = (slots: readonly number[], branch = 'main') => slots.map((slot) => refOf(slot, branch));
const revertsTo = (parent: BlockRef, slots: readonly number[], branch = 'main') =>
  slots.map((slot) => ({ kind: 'slot-reverted' as const, ...refOf(slot, branch), forkPoint: parent }));
const withoutTips = (messages: RecordingBus['published']) => messages.filter(({ kind }) => kind !== 'tip');

describe('FollowService during a fork', () => {
  let ingest: IngestOnNode;
  beforeEach(async () => {
    ingest = await IngestOnNode.open();
  });
  afterEach(() => ingest.close());

  describe('reverts orphaned blocks, newest first,', () => {
    it.each([1, 2, 31])('at depth %d', async (depth) => {
      const tip = FIRST + 40;
      const parent = tip - depth;
      ingest.node.add(linkBlocks(range(FIRST, tip)));
      void ingest.start();
      await ingest.untilPublished(tip);
      ingest.node.switchBranch(parent, linkBlocks(range(parent + 1, tip + 3), { branch: 'other' }));
      await ingest.untilPublished(tip + 3, 'other');
      const expected = revertsTo(refOf(parent), range(parent + 1, tip).reverse());
      expect(ingest.reverts(SLOT_EVENTS)).toEqual(expected);
      expect(ingest.reverts(TREE_UPDATES)).toEqual(expected);
      expect(ingest.blocks).toEqual([...refs(range(FIRST, tip)), ...refs(range(parent + 1, tip + 3), 'other')]);
      expect(await ingest.valueOf('fresnel_ingest_forks_total')).toBe(1);
      expect(await ingest.valueOf('fresnel_ingest_reverted_slots_total')).toBe(depth);
      expect(ingest.lines.filter(({ level }) => level === 'warn')).toMatchObject([
        {
          depth,
          newestOrphanedSlot: tip,
          forkPointSlot: parent,
          msg: expect.stringContaining('reverting orphaned blocks'),
        },
      ]);
    });

    it('if both branches have skipped slots', async () => {
      ingest.node.add(linkBlocks([1000, 1001, 1003, 1006, 1009]));
      void ingest.start();
      await ingest.untilPublished(1009);
      ingest.node.switchBranch(1003, linkBlocks([1005, 1008, 1012], { branch: 'other', parent: 1003 }));
      await ingest.untilPublished(1012, 'other');
      expect(ingest.reverts(SLOT_EVENTS)).toEqual(revertsTo(refOf(1003), [1009, 1006]));
      expect(ingest.blocks.slice(5)).toEqual(refs([1005, 1008, 1012], 'other'));
    });

    it('of one fork after another', async () => {
      ingest.node.add(linkBlocks(range(1000, 1005)));
      void ingest.start();
      await ingest.untilPublished(1005);
      ingest.node.switchBranch(1003, linkBlocks(range(1004, 1007), { branch: 'second' }));
      await ingest.untilPublished(1007, 'second');
      ingest.node.switchBranch(1005, linkBlocks([1006, 1008], { branch: 'third', from: 'second' }));
      await ingest.untilPublished(1008, 'third');
      expect(ingest.reverts(SLOT_EVENTS)).toEqual([
        ...revertsTo(refOf(1003), [1005, 1004]),
        ...revertsTo(refOf(1005, 'second'), [1007, 1006], 'second'),
      ]);
      expect(await ingest.valueOf('fresnel_ingest_forks_total')).toBe(2);
    });

    it('if the source is a stream', async () => {
      const yellowstone = await FakeYellowstone.start();
      ingest.node.add(linkBlocks([1000]));
      const { source } = createTestStream(ingest.node, yellowstone);
      void ingest.start({ source });
      await yellowstone.waitForSubscription();
      const main = linkBlocks(range(1001, 1004));
      ingest.node.add(main);
      yellowstone.send(main);
      await ingest.untilPublished(1004);
      const other = linkBlocks([1003, 1005, 1006], { branch: 'other', parent: 1002 });
      ingest.node.switchBranch(1002, other);
      yellowstone.send(other);
      await ingest.untilPublished(1006, 'other');
      expect(ingest.reverts(SLOT_EVENTS)).toEqual(revertsTo(refOf(1002), [1004, 1003]));
      await ingest.close();
      yellowstone.close();
    });
  });

  it('waits for the provers, then for the projectors, before it publishes the new branch', async () => {
    const gates: (() => void)[] = [];
    ingest.bus.applied = () =>
      new Promise((resolve) => {
        gates.push(resolve);
      });
    ingest.node.add(linkBlocks(range(1000, 1005)));
    void ingest.start();
    await ingest.untilPublished(1005);
    const before = withoutTips(ingest.bus.published).length;
    ingest.node.switchBranch(1003, linkBlocks(range(1004, 1007), { branch: 'other' }));
    await ingest.until(() => gates.length === 1);
    await ingest.untilOthersHaveGoneOn();
    expect(ingest.reverts(TREE_UPDATES)).toHaveLength(2);
    expect(ingest.reverts(SLOT_EVENTS)).toHaveLength(0);
    gates[0]();
    await ingest.until(() => gates.length === 2);
    await ingest.untilOthersHaveGoneOn();
    expect(ingest.reverts(SLOT_EVENTS)).toHaveLength(2);
    expect(withoutTips(ingest.bus.published).at(-1)).toMatchObject({ kind: 'slot-reverted', slot: 1004 });
    gates[1]();
    await ingest.untilPublished(1007, 'other');
    const waits = ingest.bus.waits.map(({ topic, group, published }) => [topic, group, withoutTips(published).length]);
    expect(waits).toEqual([
      [TREE_UPDATES.name, PROVER_GROUP, before + 2],
      [SLOT_EVENTS.name, PROJECTOR_GROUP, before + 4],
    ]);
  });

  it('looks trees up again, and announces all with the first block of the new branch', async () => {
    const [tree, ...others] = generatedTrees();
    let listed = [tree];
    let lookups = 0;
    const listTrees = () => {
      lookups++;
      return Promise.resolve(listed);
    };
    const trees = new TreeRegistry([], {
      listTrees,
      findTrees: ({ minContextSlot: slot }) => Promise.resolve({ trees: [], unread: [], slot }),
    });
    ingest.node.add(linkBlocks(range(1000, 1003)));
    void ingest.start({ trees });
    await ingest.untilPublished(1003);
    listed = others;
    ingest.node.switchBranch(1002, linkBlocks(range(1003, 1005), { branch: 'other' }));
    await ingest.untilPublished(1005, 'other');
    expect(lookups).toBe(2);
    expect(ingest.bus.slots.map((slot) => slot.trees)).toEqual([[tree], [], [], [], others, [], []]);
    expect(ingest.bus.slots.map(({ isFirst }) => isFirst)).toEqual([true, ...range(1, 6).map(() => false)]);
  });

  describe('reverts nothing', () => {
    it('if the node still has the newest published block', async () => {
      ingest.node.add(linkBlocks(range(1000, 1005)));
      void ingest.start();
      await ingest.untilPublished(1005);
      ingest.node.add(linkBlocks([1006], { branch: 'odd', parent: 1003, from: 'main' }));
      const lists = ingest.node.requestsOf('getBlocks').length;
      await ingest.node.waitForRequest('getBlocks', lists + 9);
      ingest.node.add(linkBlocks([1006, 1007]));
      await ingest.untilPublished(1007);
      expect(ingest.reverts(SLOT_EVENTS)).toEqual([]);
      expect(ingest.blocks).toEqual(refs(range(1000, 1007)));
      expect(ingest.lines.filter(({ level }) => level === 'warn')).toMatchObject([
        { slot: 1006, msg: expect.stringContaining('the chain has all published blocks') },
      ]);
      expect(await ingest.valueOf('fresnel_ingest_forks_total')).toBe(0);
    });

    it('until the node proves that the new branch descends from a published block', async () => {
      ingest.node.add(linkBlocks(range(1000, 1005)));
      void ingest.start();
      await ingest.untilPublished(1005);
      const [a, b, c] = linkBlocks([1004, 1005, 1006], { branch: 'other', parent: 1003 });
      ingest.node.switchBranch(1003, [a, c]);
      await ingest.until(() => ingest.lines.some(({ reason }) => String(reason).includes('Slot 1005 was skipped')));
      expect(ingest.bus.ofKind('slot-reverted')).toEqual([]);
      ingest.node.add([b]);
      await ingest.untilPublished(1006, 'other');
      expect(ingest.reverts(SLOT_EVENTS)).toEqual(revertsTo(refOf(1003), [1005, 1004]));
    });
  });

  it('adopts reverted blocks that are on the chain after all, and publishes them again', async () => {
    ingest.node.add(linkBlocks(range(1000, 1005)));
    void ingest.start();
    await ingest.untilPublished(1005);
    ingest.node.switchBranch(1003, linkBlocks([1004, 1006], { branch: 'other', parent: 1003 }));
    await ingest.untilPublished(1006, 'other');
    ingest.node.switchBranch(1003, linkBlocks(range(1004, 1008)));
    await ingest.untilPublished(1008);
    const expected = [1004, 1005].map((slot) => ({ kind: 'slot-adopted', ...refOf(slot) }));
    expect([ingest.adoptions(TREE_UPDATES), ingest.adoptions(SLOT_EVENTS)]).toEqual([expected, expected]);
    expect(ingest.blocksOfConsumers(SLOT_EVENTS)).toEqual(refs(range(1000, 1008)));
    expect(refs(range(1000, 1008))).toEqual(expect.arrayContaining(ingest.blocksOfConsumers(TREE_UPDATES)));
    expect(await ingest.valueOf('fresnel_ingest_adopted_slots_total')).toBe(2);
  });

  it('ends with an error if a fork orphans more blocks than can be reverted', async () => {
    const tip = FIRST + 40;
    ingest.node.add(linkBlocks(range(FIRST, tip)));
    const ended = ingest.start();
    await ingest.untilPublished(tip);
    ingest.node.switchBranch(tip - 32, linkBlocks(range(tip - 31, tip + 1), { branch: 'other' }));
    await expect(ended).rejects.toThrow(ForkError);
    await expect(ended).rejects.toThrow(
      /^finalized block 1040 \(\w+\) descends from none of the 32 newest published blocks, 1009 to 1040: a fork orphaned more blocks than can be reverted, or the node serves another chain\. Check SOLANA_RPC_URL; if it is correct, rebuild the index with an empty database, empty topics and an empty Redis$/,
    );
    expect(ingest.bus.ofKind('slot-reverted')).toEqual([]);
  });
});
