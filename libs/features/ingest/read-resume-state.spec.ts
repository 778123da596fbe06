import { type SlotEventsMessage, type SlotReverted, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { blockLinkOf, type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { readResumeState, selectForResume, selectTreeForResume } from './read-resume-state';
import { NOTHING_PUBLISHED, type ResumeState } from './resume-point';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const refs = (slots: readonly number[], branch = 'main') => slots.map((slot) => refOf(slot, branch));

/** Messages of linked blocks. The parent of the first is the block of the slot before it on branch `from`. */
function slots(at: readonly number[], branch = 'main', from = branch): SlotEventsMessage[] {
  return at.map((slot, index) => {
    const parent = index === 0 ? refOf(slot - 1, from) : refOf(at[index - 1], branch);
    const rest = {
      blockTime: 0,
      blockHeight: null,
      isFirst: false,
      transactions: [],
      trees: [],
      deadLetters: [],
      signatures: null,
    };
    const links = { parentSlot: parent.slot, parentBlockhash: parent.blockhash };
    return { kind: 'slot', events: { ...refOf(slot, branch), ...links, ...rest }, isOfRange: false };
  });
}

/** Messages of a range of slots that is published again. */
const rangeOf = (messages: readonly SlotEventsMessage[]): SlotEventsMessage[] =>
  messages.map((message) => (message.kind === 'slot' ? { ...message, isOfRange: true } : message));

/** The watermarks of the blocks of slots. */
const watermarks = (messages: readonly SlotEventsMessage[]): TreeUpdatesMessage[] =>
  messages.flatMap((message) =>
    message.kind === 'slot' ? [{ kind: 'watermark', ...blockLinkOf(message.events), silent: [] }] : [],
  );

const reached = (at: readonly number[]): TreeUpdatesMessage[] => watermarks(slots(at));

/** The state if both topics have the blocks, and these reverts. */
function stateOf(
  messages: readonly SlotEventsMessage[],
  treeMessages: readonly TreeUpdatesMessage[] = [],
): ResumeState {
  const ofTrees = [...watermarks(messages), ...treeMessages];
  return readResumeState(messages.map(selectForResume), ofTrees.map(selectTreeForResume));
}

const reverted = (slot: number, forkPoint: number, branch = 'main'): SlotReverted => ({
  kind: 'slot-reverted',
  ...refOf(slot, branch),
  forkPoint: refOf(forkPoint),
});

const tip: SlotEventsMessage = { kind: 'tip', slot: toSlot(9_999), seenAt: new Date(0) };

describe('readResumeState', () => {
  it('finds nothing in empty topics, nor in tip messages', () => {
    expect(readResumeState([], [])).toEqual(NOTHING_PUBLISHED);
    expect(readResumeState([tip, tip], [])).toEqual(NOTHING_PUBLISHED);
  });

  it('links blocks in any order, with duplicates and skipped slots', () => {
    const messages = slots([100, 101, 104, 105]);
    const state = stateOf([messages[3], tip, messages[1], messages[0], messages[2], messages[1]]);
    expect(state).toEqual({ published: refs([100, 101, 104, 105]), partiallyPublished: [], reverted: [] });
  });

  it('returns as many published blocks as a fork may need', () => {
    const { published } = stateOf(slots(range(100, 200)));
    expect(published).toEqual(refs(range(169, 200)));
  });

  it('stops at the first missing parent', () => {
    const { published } = stateOf([...slots(range(100, 103)), ...slots(range(105, 107))]);
    expect(published).toEqual(refs(range(105, 107)));
  });

  it('finds a block that is in the tree topic only, completely or in part', () => {
    const tree = {
      kind: 'update',
      update: { ...blockLinkAt(103), tree: {}, changes: [] },
    } as unknown as TreeUpdatesMessage;
    for (const partiallyPublished of [reached([103]), [tree]]) {
      const state = readResumeState(slots([100, 101, 102]), [...reached([101, 102]), ...partiallyPublished]);
      expect(state).toMatchObject({ published: refs([100, 101, 102]), reverted: [] });
      expect(state.partiallyPublished).toEqual([{ ...refOf(103), parentSlot: 102 }]);
    }
  });

  it('ignores blocks that only a range of slots has published', () => {
    const ranges = rangeOf([...slots(range(10, 20)), ...slots(range(105, 210))]);
    const state = readResumeState([...slots(range(100, 104)), ...ranges], reached(range(100, 104)));
    expect(state).toEqual({ published: refs(range(100, 104)), partiallyPublished: [], reverted: [] });
  });

  it('finds the published blocks also if ranges of slots, or the retention, have displaced their slots', () => {
    const state = readResumeState(rangeOf(slots(range(10, 20))), reached(range(100, 104)));
    expect(state).toEqual({
      published: refs(range(100, 103)),
      partiallyPublished: [{ ...refOf(104), parentSlot: 103 }],
      reverted: [],
    });
  });

  it('finds silent blocks, which are in the slot topic only', () => {
    const state = readResumeState(slots(range(100, 110)), reached([102]));
    expect(state).toEqual({ published: refs(range(100, 110)), partiallyPublished: [], reverted: [] });
  });

  it('finds the silent blocks that a watermark names if ranges of slots have displaced them', () => {
    const silent = slots(range(100, 103)).flatMap((message) =>
      message.kind === 'slot' ? [blockLinkOf(message.events)] : [],
    );
    const state = readResumeState(rangeOf(slots(range(10, 20))), [
      { kind: 'watermark', ...blockLinkAt(104), silent },
      ...reached([105]),
    ]);
    expect(state).toEqual({
      published: refs(range(100, 104)),
      partiallyPublished: [{ ...refOf(105), parentSlot: 104 }],
      reverted: [],
    });
  });

  describe('if a fork', () => {
    it('was reverted in both topics, returns the blocks up to the fork point', () => {
      const reverts = [reverted(104, 101), reverted(103, 101), reverted(102, 101)];
      expect(stateOf([...slots(range(100, 104)), ...reverts], reverts)).toEqual({
        published: refs([100, 101]),
        partiallyPublished: [],
        reverted: reverts,
      });
    });

    it('was reverted in part, returns the reverts found so far', () => {
      const state = stateOf([...slots(range(100, 104)), reverted(104, 101)], [reverted(104, 101)]);
      expect(state.published).toEqual(refs(range(100, 103)));
      expect(state.reverted).toEqual([reverted(104, 101)]);
    });

    it('was reverted in the tree topic only, counts its blocks as reverted', () => {
      const reverts = [reverted(104, 102), reverted(103, 102)];
      const state = stateOf(slots(range(100, 104)), reverts);
      expect(state).toEqual({ published: refs([100, 101, 102]), partiallyPublished: [], reverted: reverts });
    });

    it('was followed by the new branch, returns the new branch', () => {
      const reverts = [reverted(104, 102), reverted(103, 102)];
      const messages = [...slots(range(100, 104)), ...reverts, ...slots([103, 106], 'other', 'main')];
      const state = stateOf(messages);
      expect(state.published).toEqual([...refs([100, 101, 102]), ...refs([103, 106], 'other')]);
      expect(state.reverted).toEqual(reverts);
    });

    it('was reverted, also reverts descendants that another ingest published later', () => {
      const reverts = [reverted(103, 101), reverted(102, 101)];
      const messages = [...slots(range(100, 103)), ...reverts, ...slots([104, 105]), ...slots([102], 'other', 'main')];
      const state = stateOf(messages);
      expect(state.published).toEqual([...refs([100, 101]), refOf(102, 'other')]);
      expect(state.reverted).toEqual([reverted(105, 101), reverted(104, 101), ...reverts]);
    });

    it('is older than the published blocks, omits it', () => {
      const messages = [...slots(range(100, 104)), reverted(104, 103), ...slots(range(104, 140), 'other', 'main')];
      expect(stateOf(messages).reverted).toEqual([]);
    });
  });
});
