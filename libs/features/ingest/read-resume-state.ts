import {
  type SlotEventsMessage,
  type SlotReverted,
  type TreeUpdatesMessage,
  type Watermark,
} from '@fresnel/contracts/messages';
import { blockKey, type BlockLink, blockLinkOf, type BlockRef, Branch, parentOf } from '@fresnel/domain/chain';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/** What the resume state needs of a message of `slot-events`: not the transactions, which may be large. */
export type ResumeSlotMessage =
  { kind: 'slot'; events: BlockLink; isOfRange: boolean } | { kind: 'tip' } | SlotReverted;

/** What the resume state needs of a message of `tree-updates`. */
export type ResumeTreeMessage = { kind: 'update'; update: BlockLink } | Watermark | SlotReverted;

/** Selects what the resume state needs. */
export function selectForResume(message: SlotEventsMessage): ResumeSlotMessage {
  if (message.kind !== 'slot') return message;
  return { kind: 'slot', events: blockLinkOf(message.events), isOfRange: message.isOfRange };
}

/** Selects what the resume state needs. */
export function selectTreeForResume(message: TreeUpdatesMessage): ResumeTreeMessage {
  return message.kind === 'update' ? { kind: 'update', update: blockLinkOf(message.update) } : message;
}

/**
 * Derives the resume state from the newest messages of both topics, given in any order.
 *
 * ```
 *   published           100 ── 101 ── 102 ── 103       found by parent links, from the newest block that is not reverted
 *   partiallyPublished                        └ 104    in `tree-updates` alone: ingest stopped before `slot-events`
 *   reverted                      └ 102' ── 103'       103' descends from a reverted block: a slower ingest published it
 * ```
 *
 * An ingest that follows the chain writes each block that changes a tree first to `tree-updates`, then to `slot-events`, and
 * most other blocks to `slot-events` alone. So a block is published completely if it is in `slot-events`, or if its child is in
 * `tree-updates`. Blocks of ranges do not count: `tree-updates` may lack their changes.
 */
export function readResumeState(
  slotMessages: readonly ResumeSlotMessage[],
  treeMessages: readonly ResumeTreeMessage[],
): ResumeState {
  const inSlots = toBlocks(slotMessages.flatMap((message) => (message.kind === 'slot' ? [message.events] : [])));
  const inOrder = toBlocks(
    slotMessages.flatMap((message) => (message.kind === 'slot' && !message.isOfRange ? [message.events] : [])),
  );
  const inTrees = toBlocks(treeMessages.flatMap(treeBlocksOf));
  const blocks = toBlocks([...inSlots.values(), ...inTrees.values()]);
  const reverted = readReverted(blocks, [...slotMessages, ...treeMessages]);
  const isFollowed = new Set([...inTrees.values()].map((block) => blockKey(parentOf(block))));
  const isComplete = (key: string) => isFollowed.has(key) || inOrder.has(key) || (inTrees.has(key) && inSlots.has(key));
  const published = linkPublished(blocks, (key) => isComplete(key) && !reverted.has(key));
  const windowStart = published.at(0)?.slot ?? -1;
  const isPartial = (block: BlockLink) => !isComplete(blockKey(block)) && !reverted.has(blockKey(block));
  return {
    published,
    partiallyPublished: [...inTrees.values()]
      .filter((block) => block.slot > windowStart && isPartial(block))
      .map(({ slot, blockhash, parentSlot }): PartiallyPublishedBlock => ({ slot, blockhash, parentSlot })),
    reverted: [...reverted.values()].filter(({ slot }) => slot > windowStart).sort((a, b) => b.slot - a.slot),
  };
}

/** Blocks by key, in ascending order of slots. */
function toBlocks(blocks: readonly BlockLink[]): Map<string, BlockLink> {
  return new Map(blocks.toSorted((a, b) => a.slot - b.slot).map((block) => [blockKey(block), block]));
}

/** The blocks that a message of `tree-updates` names as published. */
function treeBlocksOf(message: ResumeTreeMessage): BlockLink[] {
  switch (message.kind) {
    case 'update':
      return [message.update];
    case 'watermark':
      return [...message.silent, message];
    case 'slot-reverted':
      return [];
  }
}

/** Blocks whose revert is in either topic, and blocks that descend from them. */
function readReverted(
  blocks: ReadonlyMap<string, BlockLink>,
  messages: readonly (ResumeSlotMessage | ResumeTreeMessage)[],
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

/** The newest published block and its ancestors, oldest first. */
function linkPublished(blocks: ReadonlyMap<string, BlockLink>, isPublished: (key: string) => boolean): BlockRef[] {
  const tip = [...blocks].findLast(([key]) => isPublished(key))?.[1];
  if (!tip) return [];
  const branch = Branch.endingAt(tip, blocks, PUBLISHED_BLOCK_WINDOW);
  return branch.blocks.map(({ slot, blockhash }) => ({ slot, blockhash }));
}
