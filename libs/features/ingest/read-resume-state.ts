import { type SlotEventsMessage, type SlotReverted, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { blockKey, type BlockLink, type BlockRef, Branch, parentOf } from '@fresnel/domain/chain';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/**
 * Derives the resume state from the newest messages of both topics, given in any order.
 *
 * ```
 *   published           100 ── 101 ── 102 ── 103       found by parent links, from the newest block that is not reverted
 *   partiallyPublished                        └ 104    in `tree-updates` alone: ingest stopped before `slot-events`
 *   reverted                      └ 102' ── 103'       103' descends from a reverted block: a slower ingest published it
 * ```
 */
export function readResumeState(
  slotMessages: readonly SlotEventsMessage[],
  treeMessages: readonly TreeUpdatesMessage[],
): ResumeState {
  const blocks = readBlocks(slotMessages);
  const reverted = readReverted(blocks, [...slotMessages, ...treeMessages]);
  const published = linkPublished(blocks, reverted);
  const windowStart = published.at(0)?.slot ?? -1;
  const partiallyPublished = readTreeBlocks(treeMessages).filter(
    (block) => block.slot > windowStart && !blocks.has(blockKey(block)) && !reverted.has(blockKey(block)),
  );
  return {
    published,
    partiallyPublished,
    reverted: [...reverted.values()].filter(({ slot }) => slot > windowStart).sort((a, b) => b.slot - a.slot),
  };
}

/** The blocks of `slot-events` by key, in ascending order of slots. */
function readBlocks(messages: readonly SlotEventsMessage[]): Map<string, BlockLink> {
  const blocks = messages.flatMap((message) => (message.kind === 'slot' ? [message.events] : []));
  return new Map(blocks.sort((a, b) => a.slot - b.slot).map((block) => [blockKey(block), block]));
}

/** Blocks whose revert is in either topic, and blocks that descend from them. */
function readReverted(
  blocks: ReadonlyMap<string, BlockLink>,
  messages: readonly (SlotEventsMessage | TreeUpdatesMessage)[],
): Map<string, SlotReverted> {
  const reverted = new Map<string, SlotReverted>();
  for (const message of messages) {
    if (message.kind === 'slot-reverted') reverted.set(blockKey(message), message);
  }
  for (const [key, block] of blocks) {
    const { slot, blockhash } = block;
    const parent = reverted.get(blockKey(parentOf(block)));
    if (parent && !reverted.has(key)) reverted.set(key, { ...parent, slot, blockhash });
  }
  return reverted;
}

/** The newest block that is not reverted, and its ancestors, oldest first. */
function linkPublished(
  blocks: ReadonlyMap<string, BlockLink>,
  reverted: ReadonlyMap<string, SlotReverted>,
): BlockRef[] {
  const tip = [...blocks.values()].findLast((block) => !reverted.has(blockKey(block)));
  if (!tip) return [];
  const branch = Branch.endingAt(tip, blocks, PUBLISHED_BLOCK_WINDOW);
  return branch.blocks.map(({ slot, blockhash }) => ({ slot, blockhash }));
}

/** Blocks that `tree-updates` names, oldest first. */
function readTreeBlocks(messages: readonly TreeUpdatesMessage[]): PartiallyPublishedBlock[] {
  const blocks = new Map<string, PartiallyPublishedBlock>();
  for (const message of messages) {
    if (message.kind === 'slot-reverted') continue;
    const { slot, blockhash, parentSlot } = message.kind === 'update' ? message.update : message;
    blocks.set(blockKey({ slot, blockhash }), { slot, blockhash, parentSlot });
  }
  return [...blocks.values()].sort((a, b) => a.slot - b.slot);
}
