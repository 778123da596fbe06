import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockSource } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createTestSource } from '@fresnel/testing/block-sources';
import { blockhashAt, linkBlocks, range } from '@fresnel/testing/chain';
import { IngestOnNode, type RecordingBus } from '@fresnel/testing/ingest';
import { readResumeState, selectForResume, selectTreeForResume } from './read-resume-state';
import { NOTHING_PUBLISHED, type ResumeState } from './resume-point';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const refs = (slots: readonly number[], branch = 'main') => slots.map((slot) => refOf(slot, branch));
const revertsTo = (parent: BlockRef, slots: readonly number[], branch = 'main') =>
  slots.map((slot) => ({ kind: 'slot-reverted' as const, ...refOf(slot, branch), forkPoint: parent }));
const withoutTips = (messages: RecordingBus['published']) => messages.filter(({ kind }) => kind !== 'tip');

/** Resumes from a state. */
const from = (state: Partial<ResumeState>) => () => Promise.resolve({ ...NOTHING_PUBLISHED, ...state });

describe('FollowService after a fork during a restart or with a second ingest', () => {
  let ingest: IngestOnNode;
  beforeEach(async () => {
    ingest = await IngestOnNode.open();
  });
  afterEach(() => ingest.close());

  describe('after a restart', () => {
    beforeEach(() => {
      ingest.node.add(linkBlocks(range(1000, 1003)));
      ingest.node.add(linkBlocks(range(1004, 1008), { branch: 'other' }));
    });

    it('detects at the first block that the chain has forked meanwhile', async () => {
      void ingest.start({ find: from({ published: refs(range(1000, 1006)) }) });
      await ingest.untilPublished(1008, 'other');
      expect(ingest.reverts(SLOT_EVENTS)).toEqual(revertsTo(refOf(1003), [1006, 1005, 1004]));
      expect(ingest.blocks).toEqual(refs(range(1004, 1008), 'other'));
    });

    it('reverts partially published blocks', async () => {
      const partiallyPublished = [1004, 1005].map((slot) => ({ ...refOf(slot), parentSlot: toSlot(slot - 1) }));
      void ingest.start({ find: from({ published: refs(range(1000, 1003)), partiallyPublished }) });
      await ingest.untilPublished(1008, 'other');
      expect(ingest.bus.published.slice(0, 4)).toEqual([
        ...revertsTo(refOf(1003), [1005, 1004]),
        ...revertsTo(refOf(1003), [1005, 1004]),
      ]);
    });

    it('reverts a block that was published to trees only', async () => {
      const partiallyPublished = [{ ...refOf(1004), parentSlot: toSlot(1003) }];
      void ingest.start({ find: from({ published: refs(range(1000, 1003)), partiallyPublished }) });
      await ingest.untilPublished(1008, 'other');
      expect(ingest.reverts(SLOT_EVENTS)).toEqual(revertsTo(refOf(1003), [1004]));
    });

    it('publishes partially published blocks again if they are still on the chain', async () => {
      const partiallyPublished = refs([1001, 1002, 1003]).map((ref) => ({ ...ref, parentSlot: toSlot(ref.slot - 1) }));
      void ingest.start({ find: from({ published: [refOf(1000)], partiallyPublished }) });
      await ingest.untilPublished(1008, 'other');
      expect(ingest.reverts(SLOT_EVENTS)).toEqual([]);
      expect(ingest.blocks).toEqual([...refs(range(1001, 1003)), ...refs(range(1004, 1008), 'other')]);
    });

    it('publishes the blocks between the last published and the first partially published block', async () => {
      const partiallyPublished = [{ ...refOf(1003), parentSlot: toSlot(1002) }];
      void ingest.start({ find: from({ partiallyPublished }) });
      await ingest.untilPublished(1008, 'other');
      expect(ingest.bus.ofKind('slot-reverted')).toEqual([]);
      expect(ingest.blocks).toEqual([...refs(range(1000, 1003)), ...refs(range(1004, 1008), 'other')]);
    });

    it('waits until consumers have applied earlier reverts before it publishes a block', async () => {
      let isOpen = false;
      ingest.bus.applied = () => ingest.until(() => isOpen);
      const reverted = revertsTo(refOf(1003), [1005, 1004]);
      void ingest.start({ find: from({ published: refs(range(1000, 1003)), reverted }) });
      await ingest.until(() => ingest.bus.waits.length === 1);
      await ingest.untilOthersHaveGoneOn();
      expect(ingest.bus.published).toEqual(reverted);
      isOpen = true;
      await ingest.untilPublished(1008, 'other');
      expect(ingest.blocks).toEqual(refs(range(1004, 1008), 'other'));
    });

    it('fails if consumers have more orphaned blocks than can be reverted', async () => {
      const partiallyPublished = range(1001, 1032).map((slot) => ({ ...refOf(slot), parentSlot: toSlot(slot - 1) }));
      ingest.node.add([...linkBlocks([1000]), ...linkBlocks(range(1001, 1040), { branch: 'other' })]);
      const ended = ingest.start({ find: from({ published: [refOf(1000)], partiallyPublished }) });
      await expect(ended).rejects.toThrow(
        /fork at slot 1000 orphaned 32 published blocks, the newest at slot 1032; at most 31/,
      );
      expect(ingest.bus.published).toEqual([]);
    });

    it('adopts a block of the chain that was reverted before', async () => {
      const reverted = [1005, 1004].map((slot) => ({ kind: 'slot-reverted' as const, ...refOf(slot, 'other') }));
      void ingest.start({ find: from({ published: refs(range(1000, 1003)), reverted }) });
      await ingest.untilPublished(1008, 'other');
      const adopted = [1004, 1005].map((slot) => ({ kind: 'slot-adopted', ...refOf(slot, 'other') }));
      expect([ingest.adoptions(TREE_UPDATES), ingest.adoptions(SLOT_EVENTS)]).toEqual([adopted, adopted]);
      expect(ingest.blocks).toEqual(refs(range(1004, 1008), 'other'));
    });

    it('does not adopt a reverted block that the source delivers, but that is not on the chain', async () => {
      const reverted = [{ kind: 'slot-reverted' as const, ...refOf(1004) }];
      const [late] = linkBlocks([1004]);
      ingest.node.fail({ kind: 'json', text: late.json }, { slot: 1004, commitment: 'confirmed', times: 9 });
      void ingest.start({ find: from({ published: refs(range(1000, 1003)), reverted }) });
      await ingest.untilPublished(1008, 'other');
      expect(ingest.adoptions(SLOT_EVENTS)).toEqual([]);
      expect(ingest.blocks).toEqual(refs(range(1004, 1008), 'other'));
    });
  });

  const resumeFromLog = () => {
    const slotMessages = ingest.bus.inTopic(SLOT_EVENTS);
    const inSlots = slotMessages.filter((message) => message.kind !== 'update' && message.kind !== 'watermark');
    const inTrees = ingest.bus
      .inTopic(TREE_UPDATES)
      .filter((message) => message.kind !== 'slot' && message.kind !== 'tip');
    return Promise.resolve(readResumeState(inSlots.map(selectForResume), inTrees.map(selectTreeForResume)));
  };
  const canonical = [...refs(range(1000, 1003)), ...refs(range(1004, 1009), 'other')];

  /** The first block after a fork announces the trees, the others are silent. */
  function expectTreesToFollow(): void {
    const followed = ingest.blocksOfConsumers(TREE_UPDATES);
    expect(canonical).toEqual(expect.arrayContaining(followed));
    expect(followed.length).toBeGreaterThan(1);
  }

  it.each(range(0, 12))(
    'if killed after %d messages of a fork, reaches the same state as without a kill',
    async (messages) => {
      ingest.node.add(linkBlocks(range(1000, 1006)));
      const kill = new AbortController();
      const publish = ingest.bus.publish.bind(ingest.bus);
      let before = Infinity;
      jest.spyOn(ingest.bus, 'publish').mockImplementation(async (topic, given, signal) => {
        for (const message of given) {
          if (withoutTips(ingest.bus.published).length === before + messages) kill.abort();
          kill.signal.throwIfAborted();
          await publish(topic, [message], signal);
        }
      });
      const first = ingest.start({}, kill.signal);
      await ingest.untilPublished(1006);
      before = withoutTips(ingest.bus.published).length;
      ingest.node.switchBranch(1003, linkBlocks(range(1004, 1009), { branch: 'other' }));
      await ingest.until(() => kill.signal.aborted);
      await first;
      jest.restoreAllMocks();
      void ingest.start({ find: resumeFromLog });
      await ingest.untilPublished(1009, 'other');
      expect(ingest.blocksOfConsumers(SLOT_EVENTS)).toEqual(canonical);
      expectTreesToFollow();
    },
  );

  it('reaches the same state if two ingests run at once', async () => {
    ingest.node.add(linkBlocks(range(1000, 1006)));
    void ingest.start();
    await ingest.untilPublished(1003);
    void ingest.start({ find: resumeFromLog, source: slow(createTestSource(ingest.node).source) });
    await ingest.untilPublished(1006);
    ingest.node.switchBranch(1003, linkBlocks(range(1004, 1009), { branch: 'other' }));
    await ingest.until(() => ingest.blocks.filter(({ slot }) => slot === 1009).length === 2);
    expect(ingest.blocksOfConsumers(SLOT_EVENTS)).toEqual(canonical);
    expectTreesToFollow();
  });

  /** Delays each block of a source. */
  function slow(source: BlockSource): BlockSource {
    return {
      tip: null,
      identify: (signal) => source.identify(signal),
      findBlock: (slot, signal) => source.findBlock(slot, signal),
      findTip: (signal) => source.findTip(signal),
      blocksFrom: (slot, signal) => source.blocksFrom(slot, signal),
      readFinalized: (question, signal) => source.readFinalized(question, signal),
      blocks: async function* (after, signal) {
        for await (const block of source.blocks(after, signal)) {
          await sleep(10);
          yield block;
        }
      },
    };
  }
});
