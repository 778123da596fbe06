import { type BlockLink, type BlockRef } from '@fresnel/adapters/chain';
import { type SlotEventsMessage, type SlotReverted, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { keyOf } from '@fresnel/domain/primitives';
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
    (block) => block.slot > since && !blocks.has(toKey(block)) && !reverted.has(toKey(block)),
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
  return new Map(blocks.sort((a, b) => a.slot - b.slot).map((block) => [toKey(block), block]));
}

/** What was taken back, by either topic, and what descends from it. */
function readReverted(
  blocks: ReadonlyMap<string, BlockLink>,
  messages: readonly (SlotEventsMessage | TreeUpdatesMessage)[],
): Map<string, SlotReverted> {
  const reverted = new Map<string, SlotReverted>();
  for (const message of messages) if (message.kind === 'slot-reverted') reverted.set(toKey(message), message);
  for (const [key, { slot, blockhash, parentSlot, parentBlockhash }] of blocks) {
    const parent = reverted.get(toKey({ slot: parentSlot, blockhash: parentBlockhash }));
    if (parent && !reverted.has(key)) reverted.set(key, { ...parent, slot, blockhash });
  }
  return reverted;
}

function linkPublished(
  blocks: ReadonlyMap<string, BlockLink>,
  reverted: ReadonlyMap<string, SlotReverted>,
): BlockRef[] {
  const published: BlockRef[] = [];
  let block = [...blocks.values()].findLast((each) => !reverted.has(toKey(each)));
  while (block && published.length < PUBLISHED_BLOCK_WINDOW) {
    const { slot, blockhash, parentSlot, parentBlockhash } = block;
    published.unshift({ slot, blockhash });
    block = blocks.get(toKey({ slot: parentSlot, blockhash: parentBlockhash }));
  }
  return published;
}

/** Blocks that trees were told of, oldest first. */
function readPartiallyPublished(messages: readonly TreeUpdatesMessage[]): PartiallyPublishedBlock[] {
  const partiallyPublished = new Map<string, PartiallyPublishedBlock>();
  for (const message of messages) {
    if (message.kind === 'slot-reverted') continue;
    const { slot, blockhash } = message.kind === 'update' ? message.update : message;
    if (blockhash) partiallyPublished.set(toKey({ slot, blockhash }), { slot, blockhash, parentSlot: null });
  }
  return [...partiallyPublished.values()].sort((a, b) => a.slot - b.slot);
}

function toKey({ slot, blockhash }: BlockRef): string {
  return `${slot} ${keyOf(blockhash)}`;
}
