import { type SlotEventsMessage, type SlotReverted, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { blockKey, type BlockLink, type BlockRef, parentOf } from '@fresnel/domain/chain';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/**
 * Reads out of the last messages of both topics, in any order, what consumers will have when they are through.
 *
 * ```
 *   published   100 ── 101 ── 102 ── 103        by their links, back from the newest that is not reverted
 *   begun                             └ 104     told to trees; the message for the tables did not come any more
 *   reverted            └ 102' ── 103'          103' was not, but its parent was: whoever published it came late
 * ```
 */
export function readResumeState(
  slotMessages: readonly SlotEventsMessage[],
  treeMessages: readonly TreeUpdatesMessage[],
): ResumeState {
  const blocks = readBlocks(slotMessages);
  const reverted = readReverted(blocks, [...slotMessages, ...treeMessages]);
  const published = linkPublished(blocks, reverted);
  const since = published.at(0)?.slot ?? -1;
  const partiallyPublished = readPartiallyPublished(treeMessages).filter(
    (block) => block.slot > since && !blocks.has(blockKey(block)) && !reverted.has(blockKey(block)),
  );
  return {
    published,
    partiallyPublished,
    reverted: [...reverted.values()].filter(({ slot }) => slot > since).sort((a, b) => b.slot - a.slot),
  };
}

/** By slot, oldest first. */
function readBlocks(messages: readonly SlotEventsMessage[]): Map<string, BlockLink> {
  const blocks = messages.flatMap((message) => (message.kind === 'slot' ? [message.events] : []));
  return new Map(blocks.sort((a, b) => a.slot - b.slot).map((block) => [blockKey(block), block]));
}

/** What was taken back, by either topic, and what descends from it. */
function readReverted(
  blocks: ReadonlyMap<string, BlockLink>,
  messages: readonly (SlotEventsMessage | TreeUpdatesMessage)[],
): Map<string, SlotReverted> {
  const reverted = new Map<string, SlotReverted>();
  for (const message of messages) if (message.kind === 'slot-reverted') reverted.set(blockKey(message), message);
  for (const [key, block] of blocks) {
    const { slot, blockhash } = block;
    const parent = reverted.get(blockKey(parentOf(block)));
    if (parent && !reverted.has(key)) reverted.set(key, { ...parent, slot, blockhash });
  }
  return reverted;
}

function linkPublished(
  blocks: ReadonlyMap<string, BlockLink>,
  reverted: ReadonlyMap<string, SlotReverted>,
): BlockRef[] {
  const published: BlockRef[] = [];
  let block = [...blocks.values()].findLast((each) => !reverted.has(blockKey(each)));
  while (block && published.length < PUBLISHED_BLOCK_WINDOW) {
    const { slot, blockhash } = block;
    published.unshift({ slot, blockhash });
    block = blocks.get(blockKey(parentOf(block)));
  }
  return published;
}

/** Blocks that trees were told of, oldest first. */
function readPartiallyPublished(messages: readonly TreeUpdatesMessage[]): PartiallyPublishedBlock[] {
  const partiallyPublished = new Map<string, PartiallyPublishedBlock>();
  for (const message of messages) {
    if (message.kind === 'slot-reverted') continue;
    const { slot, blockhash } = message.kind === 'update' ? message.update : message;
    if (blockhash) partiallyPublished.set(blockKey({ slot, blockhash }), { slot, blockhash, parentSlot: null });
  }
  return [...partiallyPublished.values()].sort((a, b) => a.slot - b.slot);
}
