import { type BlockLink, type BlockRef, blockRefOf } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createLogger } from '@fresnel/platform';
import { blockLinkAt, range } from '@fresnel/testing/chain';
import { findResumeState } from './find-resume-state';
import { NOTHING_PUBLISHED, type ResumeState } from './resume-point';

const refOf = (slot: number, branch = 'main') => blockRefOf(blockLinkAt(slot, branch));
const refsOf = (slots: readonly number[]) => slots.map((slot) => refOf(slot));
const stateOf = (published: readonly BlockRef[], changes: readonly BlockRef[] = []): ResumeState => ({
  ...NOTHING_PUBLISHED,
  published,
  changes,
});

/** @param oldest the first blocks of the log; default: those that are published */
async function find(topics: ResumeState, stored: ResumeState, oldest?: readonly BlockLink[]): Promise<ResumeState> {
  const links = oldest ?? topics.published.map(({ slot }) => blockLinkAt(slot));
  const sources = {
    readTopics: () => Promise.resolve(topics),
    readStored: () => Promise.resolve(stored),
    readOldest: () => Promise.resolve(links),
    findNewestIndexed: () => Promise.resolve(stored.published.at(-1)),
  };
  return findResumeState(sources, createLogger('silent'));
}

describe('where an ingest resumes', () => {
  it('is after the stored blocks if the topics are empty', async () => {
    const stored = stateOf(refsOf(range(60, 91)), [refOf(70)]);
    expect(await find(NOTHING_PUBLISHED, stored)).toEqual(stored);
  });

  it('is the beginning of a new index if nothing is stored', async () => {
    expect(await find(NOTHING_PUBLISHED, NOTHING_PUBLISHED)).toEqual(NOTHING_PUBLISHED);
    const first = stateOf(refsOf([10, 11]), [refOf(10)]);
    expect(await find(first, NOTHING_PUBLISHED)).toEqual(first);
  });

  it('is after the stored blocks if records between them and the topics have expired', async () => {
    const stored = stateOf(refsOf(range(60, 91)));
    expect(await find(stateOf(refsOf([94, 95])), stored)).toEqual(stored);
  });

  it('is after the newest block of the topics, and the stored blocks before their first one are known', async () => {
    const stored = stateOf(refsOf(range(60, 91)), refsOf([40, 70, 80]));
    const { published, changes } = await find(stateOf(refsOf([92, 93]), refsOf([80, 93])), stored);
    expect(published).toEqual(refsOf(range(62, 93)));
    expect(changes).toEqual(refsOf([40, 70, 80, 93]));
  });

  it('knows them also once tables and trees have applied blocks of the topics', async () => {
    const stored = stateOf(refsOf(range(62, 93)), refsOf([80, 93]));
    const { published, changes } = await find(stateOf(refsOf(range(92, 95)), refsOf([93])), stored);
    expect(published).toEqual(refsOf(range(64, 95)));
    expect(changes).toEqual(refsOf([80, 93]));
  });

  it('knows them across a skipped slot', async () => {
    const over: BlockLink = {
      ...blockLinkAt(93),
      parentSlot: toSlot(91),
      parentBlockhash: blockLinkAt(91).blockhash,
    };
    const { published } = await find(stateOf([blockRefOf(over)]), stateOf(refsOf([90, 91])), [over]);
    expect(published).toEqual(refsOf([90, 91, 93]));
  });

  it('knows none of a branch that the topics have reverted, before consumers have applied that', async () => {
    const orphaned = refOf(91, 'other');
    const stored = stateOf([...refsOf(range(88, 90)), orphaned], [refOf(89), orphaned]);
    const topics = { ...stateOf([refOf(91)]), reverted: [{ kind: 'slot-reverted' as const, ...orphaned }] };
    const { published, changes } = await find(topics, stored);
    expect(published).toEqual(refsOf(range(88, 91)));
    expect(changes).toEqual([refOf(89)]);
  });

  it('knows no stored block if none is an ancestor of those in the topics', async () => {
    const topics = stateOf([refOf(91, 'other')]);
    expect(await find(topics, stateOf(refsOf(range(60, 91))), [blockLinkAt(91, 'other')])).toEqual(topics);
    const first = stateOf(refsOf([60, 61]));
    expect(await find(first, stateOf(refsOf([60, 61])))).toEqual(first);
  });

  it('needs no stored block if the topics have as many as a fork may revert', async () => {
    const topics = stateOf(refsOf(range(70, 101)));
    expect(await find(topics, stateOf(refsOf(range(60, 91)), [refOf(61)]))).toEqual(topics);
  });
});
