import {
  type SlotAdopted,
  type SlotEventsMessage,
  type SlotReverted,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { blockLinkOf, type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { readResumeState, selectForResume, selectTreeForResume, withoutAdopted } from './read-resume-state';
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
    message.kind === 'slot'
      ? [
          {
            kind: 'watermark',
            ...blockLinkOf(message.events),
            previousChange: null,
            silentBlocks: [],
            changesTrees: false,
          },
        ]
      : [],
  );

const reached = (at: readonly number[]): TreeUpdatesMessage[] => watermarks(slots(at));

const read = (messages: readonly SlotEventsMessage[], treeMessages: readonly TreeUpdatesMessage[]): ResumeState =>
  readResumeState(messages.map(selectForResume), treeMessages.map(selectTreeForResume));

/** The state if both topics have the blocks, and these reverts. */
function stateOf(
  messages: readonly SlotEventsMessage[],
  treeMessages: readonly TreeUpdatesMessage[] = [],
): ResumeState {
  return read(messages, [...watermarks(messages), ...treeMessages]);
}

const reverted = (slot: number, forkPoint: number, branch = 'main'): SlotReverted => ({
  kind: 'slot-reverted',
  ...refOf(slot, branch),
  forkPoint: refOf(forkPoint),
});

const deadLetter = { signature: null, index: 0, reasons: [], json: '' };

/** The watermarks of the blocks, as complete as the messages. */
const treesOf = (messages: readonly SlotEventsMessage[]): TreeUpdatesMessage[] =>
  messages.flatMap((message) => {
    if (message.kind !== 'slot') return [];
    const { events, previousChange = null } = message;
    const changesTrees = events.deadLetters.length > 0;
    return [{ kind: 'watermark', ...blockLinkOf(events), previousChange, silentBlocks: [], changesTrees }];
  });

const tip: SlotEventsMessage = { kind: 'tip', slot: toSlot(9_999), seenAt: new Date(0) };

describe('readResumeState', () => {
  it('finds nothing in empty topics, nor in tip messages', () => {
    expect(read([], [])).toEqual(NOTHING_PUBLISHED);
    expect(read([tip, tip], [])).toEqual(NOTHING_PUBLISHED);
  });

  it('links blocks in any order, with duplicates and skipped slots', () => {
    const messages = slots([100, 101, 104, 105]);
    const state = stateOf([messages[3], tip, messages[1], messages[0], messages[2], messages[1]]);
    expect(state).toEqual({ published: refs([100, 101, 104, 105]), changes: [], partiallyPublished: [], reverted: [] });
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
      const state = read(slots([100, 101, 102]), [...reached([101, 102]), ...partiallyPublished]);
      expect(state).toMatchObject({ published: refs([100, 101, 102]), reverted: [] });
      expect(state.partiallyPublished).toEqual([{ ...refOf(103), parentSlot: 102 }]);
    }
  });

  it('ignores blocks that only a range of slots has published', () => {
    const ranges = rangeOf([...slots(range(10, 20)), ...slots(range(105, 210))]);
    const state = read([...slots(range(100, 104)), ...ranges], reached(range(100, 104)));
    expect(state).toEqual({ published: refs(range(100, 104)), changes: [], partiallyPublished: [], reverted: [] });
  });

  it('finds the published blocks also if ranges of slots, or the retention, have displaced their slots', () => {
    const state = read(rangeOf(slots(range(10, 20))), reached(range(100, 104)));
    expect(state).toEqual({
      published: refs(range(100, 103)),
      changes: [],
      partiallyPublished: [{ ...refOf(104), parentSlot: 103 }],
      reverted: [],
    });
  });

  it('counts the ancestors of a published block as published, also if their slots are displaced', () => {
    const displaced = slots(range(100, 110)).filter(
      (message) => message.kind !== 'slot' || message.events.slot !== 105,
    );
    const state = read(displaced, reached([105]));
    expect(state).toMatchObject({ published: refs(range(100, 110)), partiallyPublished: [] });
  });

  it('finds silent blocks, which are in the slot topic only', () => {
    const state = read(slots(range(100, 110)), reached([102]));
    expect(state).toEqual({ published: refs(range(100, 110)), changes: [], partiallyPublished: [], reverted: [] });
  });

  it('finds the blocks that change trees: in the published branch, and the newest one before it', () => {
    const change = refOf(60);
    const messages = slots(range(100, 140)).map((message): SlotEventsMessage => {
      if (message.kind !== 'slot' || message.events.slot !== 120) return message;
      return { ...message, events: { ...message.events, deadLetters: [deadLetter] } };
    });
    const named = messages.map((message): SlotEventsMessage => {
      if (message.kind !== 'slot') return message;
      return { ...message, previousChange: message.events.slot > 120 ? refOf(120) : change };
    });
    expect(read(named, []).changes).toEqual([change, refOf(120)]);
    expect(read(rangeOf(slots(range(10, 20))), treesOf(named)).changes).toEqual([change, refOf(120)]);
  });

  describe('if a fork', () => {
    it('was reverted in both topics, returns the blocks up to the fork point', () => {
      const reverts = [reverted(104, 101), reverted(103, 101), reverted(102, 101)];
      expect(stateOf([...slots(range(100, 104)), ...reverts], reverts)).toEqual({
        published: refs([100, 101]),
        changes: [],
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
      expect(state).toEqual({
        published: refs([100, 101, 102]),
        changes: [],
        partiallyPublished: [],
        reverted: reverts,
      });
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

  describe('if a reverted block was adopted', () => {
    const adopted = (slot: number): SlotAdopted => ({ kind: 'slot-adopted', ...refOf(slot) });
    /** The reverted slots, if slot-events has the first messages, and the partitions of tree-updates have the others. */
    const revertedSlots = (inSlots: readonly SlotEventsMessage[], ...partitions: TreeUpdatesMessage[][]) =>
      readResumeState(
        withoutAdopted([...slots(range(100, 104)), ...inSlots].map(selectForResume)),
        partitions.flatMap((messages) => withoutAdopted(messages.map(selectTreeForResume))),
      ).reverted.map(({ slot }) => slot);
    const [revert, adopt] = [reverted(104, 103), adopted(104)];

    it('in both topics, does not count it as reverted', () => {
      expect(revertedSlots([revert, adopt], [revert, adopt], [revert, adopt])).toEqual([]);
    });

    it.each([
      ['in trees only', [revert], [revert, adopt], [revert, adopt]],
      ['in one partition of trees only', [revert], [revert, adopt], [revert]],
      ['and reverted again in trees only', [revert, adopt], [revert, adopt, revert], [revert, adopt, revert]],
      ['and reverted again in one partition', [revert, adopt], [revert, adopt], [revert, adopt, revert]],
    ])('%s, counts it as reverted', (_, inSlots, one, another) => {
      expect(revertedSlots(inSlots, one, another)).toEqual([104]);
      expect(revertedSlots(inSlots, another, one)).toEqual([104]);
    });
  });
});
