import { type BlockSource, type BranchQuestion, FinalizedBranch } from '@fresnel/adapters/chain';
import { type BlockLink } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { Registry } from '@fresnel/platform';
import { blockhashAt } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { BranchSwitcher } from './branch.switcher';
import { createFollowMetrics } from './follow.metrics';
import { PublishedBlocks } from './published-blocks';
import { NOTHING_PUBLISHED } from './resume-point';
import { type SlotReverter } from './slot.reverter';

const refOf = (slot: number, fork = 'main') => ({ slot: toSlot(slot), blockhash: blockhashAt(slot, fork) });
const linkOf = (slot: number, parentSlot: number): BlockLink => {
  const parent = refOf(parentSlot);
  return { ...refOf(slot), parentSlot: parent.slot, parentBlockhash: parent.blockhash };
};

/*
 * One ingest has published 103 to one topic only, another one 104' to both, and then both ended:
 *
 *   chain       101 ── 103 ── 105
 *   published    └── 104'
 */
describe('BranchSwitcher', () => {
  const published = new PublishedBlocks({
    ...NOTHING_PUBLISHED,
    published: [refOf(101), refOf(104, 'other')],
    partiallyPublished: [{ ...refOf(103), parentSlot: toSlot(101) }],
  });
  const asked: BranchQuestion[] = [];
  const readFinalized = (question: BranchQuestion) => {
    asked.push(question);
    return Promise.resolve(new FinalizedBranch(refOf(103), question.upTo > 103 ? [linkOf(105, 103)] : []));
  };
  const switcher = new BranchSwitcher(
    { readFinalized } as Partial<BlockSource> as BlockSource,
    {} as SlotReverter,
    captureLog().logger,
    createFollowMetrics(new Registry()),
  );

  it('asks for the chain up to the newest published block, although an older one is published only in part', async () => {
    const correction = await switcher.findCorrection(published, linkOf(105, 103), new AbortController().signal);
    expect(asked.map(({ upTo, known }) => [upTo, known.map(({ slot }) => slot)])).toEqual([[104, [101, 103, 104]]]);
    expect(correction).toMatchObject({ forkPoint: refOf(103), orphaned: [refOf(104, 'other')] });
  });

  it.each([
    ['is an error if the blocks were read as finalized', 'finalized', 1, ['warn', 'error', 'info']],
    ['is usual if they were read as confirmed', 'confirmed', 0, ['warn', 'info']],
  ] as const)('reverts a fork, which %s', async (_, commitment, count, levels) => {
    const { logger, lines } = captureLog();
    const registry = new Registry();
    const revert = jest.fn(() => Promise.resolve());
    const final = new BranchSwitcher(
      { readFinalized, findCommitment: () => Promise.resolve(commitment) } as Partial<BlockSource> as BlockSource,
      { revert } as Partial<SlotReverter> as SlotReverter,
      logger,
      createFollowMetrics(registry),
    );
    const state = { ...NOTHING_PUBLISHED, published: [refOf(101), refOf(103), refOf(104, 'other')] };
    const { signal } = new AbortController();
    const correction = await final.findCorrection(new PublishedBlocks(state), linkOf(105, 103), signal);
    if (correction) await final.apply(new PublishedBlocks(state), correction, signal);
    expect(revert).toHaveBeenCalledTimes(1);
    expect(lines.map(({ level }) => level)).toEqual(levels);
    const counter = await registry.getSingleMetric('fresnel_ingest_final_forks_total')?.get();
    expect(counter?.values[0].value).toBe(count);
  });
});
