import { type BlockLink, type BlockRef, isSameBlock, parentOf } from '@fresnel/domain/chain';
import { type Logger } from '@fresnel/platform';
import { type ResumeState } from './resume-point';

/** Where the published blocks can be found, if consumers have read from the topics. */
export interface ResumeSources {
  /** The state of the newest records of the topics. */
  readTopics(): Promise<ResumeState>;
  /** The state of the tables and trees. */
  readStored(): Promise<ResumeState>;
  /** The blocks in the oldest records of `slot-events`, without those of ranges. */
  readOldest(): Promise<readonly BlockLink[]>;
  /** The newest block that tables have indexed. */
  findNewestIndexed(): Promise<BlockRef | undefined>;
}

/**
 * Resumes after the newest block of the topics. If they have no block, or lack blocks after the stored ones, because records have
 * expired or were lost, resumes after the newest block that tables and trees have applied.
 */
export async function findResumeState(sources: ResumeSources, logger: Logger): Promise<ResumeState> {
  const state = await sources.readTopics();
  const stored = await sources.readStored();
  const isEmpty = state.published.length === 0 && state.partiallyPublished.length === 0;
  if (!isEmpty && (await continues(sources, stored, state))) return state;
  const slot = stored.published.at(-1)?.slot ?? null;
  const values = { slot, inKafka: state.published.at(-1)?.slot ?? null };
  logger.warn(values, 'Kafka lacks blocks after the stored ones: ingest resumes after the newest one that is stored');
  return stored;
}

/**
 * Whether the topics have all blocks after those that are stored: the oldest block there is one of them, or the child of the
 * newest. Otherwise records between have expired, and an ingest that was frozen meanwhile has published its next block.
 */
async function continues(sources: ResumeSources, stored: ResumeState, { published }: ResumeState): Promise<boolean> {
  const newest = stored.published.at(-1) ?? (await sources.findNewestIndexed());
  if (!newest || published.some((block) => block.slot <= newest.slot)) return true;
  const blocks = await sources.readOldest();
  return blocks.some((block) => block.slot <= newest.slot || isSameBlock(parentOf(block), newest));
}
