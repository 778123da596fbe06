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
 *
 * Only ingests that follow the chain write to `tree-updates`, each block first there and then to `slot-events`. So a block
 * there is in both topics if its child is there too. `slot-events` may contain any blocks, because ranges of slots can be
 * published again.
 */
export function readResumeState(
  slotMessages: readonly SlotEventsMessage[],
  treeMessages: readonly TreeUpdatesMessage[],
): ResumeState {
  const inSlots = toBlocks(slotMessages.flatMap((message) => (message.kind === 'slot' ? [message.events] : [])));
  const inTrees = toBlocks(treeMessages.flatMap(treeBlocksOf));
  const blocks = toBlocks([...inSlots.values(), ...inTrees.values()]);
  const reverted = readReverted(blocks, [...slotMessages, ...treeMessages]);
  const isFollowed = new Set([...inTrees.values()].map((block) => blockKey(parentOf(block))));
  const isComplete = (key: string) => isFollowed.has(key) || (inTrees.has(key) && inSlots.has(key));
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

/** The block that a message of `tree-updates` belongs to. */
function treeBlocksOf(message: TreeUpdatesMessage): BlockLink[] {
  if (message.kind === 'slot-reverted') return [];
  return [message.kind === 'update' ? message.update : message];
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

/** The newest published block and its ancestors, oldest first. */
function linkPublished(blocks: ReadonlyMap<string, BlockLink>, isPublished: (key: string) => boolean): BlockRef[] {
  const tip = [...blocks].findLast(([key]) => isPublished(key))?.[1];
  if (!tip) return [];
  const branch = Branch.endingAt(tip, blocks, PUBLISHED_BLOCK_WINDOW);
  return branch.blocks.map(({ slot, blockhash }) => ({ slot, blockhash }));
}
