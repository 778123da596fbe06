import { blockKey, type BlockLink, type BlockRef, isSameBlock, parentOf } from '@fresnel/domain/chain';
import { type Logger } from '@fresnel/platform';
import { PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

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
  if (!isEmpty && (await continues(sources, stored, state))) return withAncestors(sources, stored, state);
  const slot = stored.published.at(-1)?.slot ?? null;
  const values = { slot, inKafka: state.published.at(-1)?.slot ?? null };
  logger.warn(values, 'Kafka lacks blocks after the stored ones: ingest resumes after the newest one that is stored');
  return stored;
}

/** Adds stored blocks before the oldest one of the topics, which have few after a reset: a fork may revert them all. */
async function withAncestors(sources: ResumeSources, stored: ResumeState, state: ResumeState): Promise<ResumeState> {
  const oldest = state.published.at(0);
  if (!oldest || state.published.length >= PUBLISHED_BLOCK_WINDOW) return state;
  const end = await findAncestors(sources, stored.published, oldest);
  const last = stored.published.slice(0, end).at(-1);
  if (!last) return state;
  const known = new Set(state.changes.map(blockKey));
  const changes = stored.changes.filter((block) => block.slot <= last.slot && !known.has(blockKey(block)));
  return {
    ...state,
    published: [...stored.published.slice(0, end), ...state.published].slice(-PUBLISHED_BLOCK_WINDOW),
    changes: [...changes, ...state.changes].sort((a, b) => a.slot - b.slot),
  };
}

/** How many of the stored blocks are ancestors of a block. The newest ones may be on a branch that the topics have reverted. */
async function findAncestors(sources: ResumeSources, stored: readonly BlockRef[], block: BlockRef): Promise<number> {
  const at = stored.findIndex((other) => isSameBlock(other, block));
  if (at >= 0) return at;
  const link = (await sources.readOldest()).find((other) => isSameBlock(other, block));
  return link ? stored.findIndex((other) => isSameBlock(other, parentOf(link))) + 1 : 0;
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
