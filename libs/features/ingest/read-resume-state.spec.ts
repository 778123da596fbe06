import { type SlotEventsMessage, type SlotReverted, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { readResumeState } from './read-resume-state';
import { NOTHING_PUBLISHED } from './resume-point';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const refs = (slots: readonly number[], branch = 'main') => slots.map((slot) => refOf(slot, branch));

/** Messages about linked blocks, the first of which follows the slot before it on a branch. */
function slots(at: readonly number[], branch = 'main', from = branch): SlotEventsMessage[] {
  return at.map((slot, index) => {
    const parent = index === 0 ? refOf(slot - 1, from) : refOf(at[index - 1], branch);
    const rest = { blockTime: 0, blockHeight: null, isFirst: false, transactions: [], trees: [], parked: [] };
    const links = { parentSlot: parent.slot, parentBlockhash: parent.blockhash };
    return { kind: 'slot', events: { ...refOf(slot, branch), ...links, ...rest } };
  });
}

const reached = (at: readonly number[], branch = 'main'): TreeUpdatesMessage[] =>
  refs(at, branch).map((block) => ({ kind: 'slot-reached', ...block }));

const reverted = (slot: number, goesOnFrom: number, branch = 'main'): SlotReverted => ({
  kind: 'slot-reverted',
  ...refOf(slot, branch),
  goesOnFrom: refOf(goesOnFrom),
});

const tip: SlotEventsMessage = { kind: 'tip', slot: toSlot(9_999), seenAt: new Date(0) };

describe('readResumeState', () => {
  it('finds nothing in empty topics, or in notes about the tip', () => {
    expect(readResumeState([], [])).toEqual(NOTHING_PUBLISHED);
    expect(readResumeState([tip, tip], [])).toEqual(NOTHING_PUBLISHED);
  });

  it('links what it finds, in whichever order and how often it comes, with skipped slots', () => {
    const told = slots([100, 101, 104, 105]);
    const state = readResumeState([told[3], tip, told[1], told[0], told[2], told[1]], reached([104, 105]));
    expect(state).toEqual({ published: refs([100, 101, 104, 105]), partiallyPublished: [], reverted: [] });
  });

  it('finds as many as a fork may need, and no more', () => {
    const { published } = readResumeState(slots(range(100, 200)), []);
    expect(published).toEqual(refs(range(169, 200)));
  });

  it('goes no further back than the links lead', () => {
    const { published } = readResumeState([...slots(range(100, 103)), ...slots(range(105, 107))], []);
    expect(published).toEqual(refs(range(105, 107)));
  });

  it('finds the block that only trees were told of, wholly or in part', () => {
    const tree = { kind: 'update', update: { ...refOf(103), tree: {}, changes: [] } } as unknown as TreeUpdatesMessage;
    for (const partiallyPublished of [reached([103]), [tree]]) {
      const state = readResumeState(slots([100, 101, 102]), [...reached([101, 102]), ...partiallyPublished]);
      expect(state).toMatchObject({ published: refs([100, 101, 102]), reverted: [] });
      expect(state.partiallyPublished).toEqual([{ ...refOf(103), parentSlot: null }]);
    }
  });

  it('finds no block in records of writers that did not name it', () => {
    const { partiallyPublished } = readResumeState(slots([100]), [{ kind: 'slot-reached', slot: toSlot(101) }]);
    expect(partiallyPublished).toEqual([]);
  });

  describe('where a fork', () => {
    it('was taken back in whole, holds what is below it', () => {
      const reverts = [reverted(104, 101), reverted(103, 101), reverted(102, 101)];
      expect(readResumeState([...slots(range(100, 104)), ...reverts], reverts)).toEqual({
        published: refs([100, 101]),
        partiallyPublished: [],
        reverted: reverts,
      });
    });

    it('was taken back in part, takes the reverts for those that came so far', () => {
      const state = readResumeState([...slots(range(100, 104)), reverted(104, 101)], [reverted(104, 101)]);
      expect(state.published).toEqual(refs(range(100, 103)));
      expect(state.reverted).toEqual([reverted(104, 101)]);
    });

    it('was told to trees alone, counts as taken back', () => {
      const reverts = [reverted(104, 102), reverted(103, 102)];
      const state = readResumeState(slots(range(100, 104)), [...reached([103, 104]), ...reverts]);
      expect(state).toEqual({ published: refs([100, 101, 102]), partiallyPublished: [], reverted: reverts });
    });

    it('was followed by the new branch, holds that', () => {
      const reverts = [reverted(104, 102), reverted(103, 102)];
      const messages = [...slots(range(100, 104)), ...reverts, ...slots([103, 106], 'other', 'main')];
      const state = readResumeState(messages, []);
      expect(state.published).toEqual([...refs([100, 101, 102]), ...refs([103, 106], 'other')]);
      expect(state.reverted).toEqual(reverts);
    });

    it('was passed by another ingest, takes back what that published late', () => {
      const reverts = [reverted(103, 101), reverted(102, 101)];
      const messages = [...slots(range(100, 103)), ...reverts, ...slots([104, 105]), ...slots([102], 'other', 'main')];
      const state = readResumeState(messages, []);
      expect(state.published).toEqual([...refs([100, 101]), refOf(102, 'other')]);
      expect(state.reverted).toEqual([reverted(105, 101), reverted(104, 101), ...reverts]);
    });

    it('is long over, forgets it', () => {
      const messages = [...slots(range(100, 104)), reverted(104, 103), ...slots(range(104, 140), 'other', 'main')];
      expect(readResumeState(messages, []).reverted).toEqual([]);
    });
  });
});
