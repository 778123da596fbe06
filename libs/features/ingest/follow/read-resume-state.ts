import {
  type SlotAdopted,
  type SlotEventsMessage,
  type SlotReverted,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import {
  blockKey,
  type BlockLink,
  blockLinkOf,
  type BlockRef,
  blockRefOf,
  Branch,
  parentOf,
} from '@fresnel/domain/chain';
import { changesTrees } from '@fresnel/domain/state';
import { type PartiallyPublishedBlock, PUBLISHED_BLOCK_WINDOW, type ResumeState } from './resume-point';

/** A published block, as a record names it. */
export interface NamedBlock extends BlockLink {
  changesTrees: boolean;
  /** See `TreeUpdatesMessage`. */
  previousChange: BlockRef | null;
}

/** What the resume state needs of a message of `slot-events`: not the transactions, which may be large. */
export type ResumeSlotMessage =
  { kind: 'slot'; block: NamedBlock; isOfRange: boolean } | { kind: 'other' } | SlotReverted | SlotAdopted;

/** What the resume state needs of a message of `tree-updates`. */
export type ResumeTreeMessage = { kind: 'block'; block: NamedBlock } | { kind: 'other' } | SlotReverted | SlotAdopted;

/** Selects what the resume state needs. */
export function selectForResume(message: SlotEventsMessage): ResumeSlotMessage {
  switch (message.kind) {
    case 'slot': {
      const { events, isOfRange, previousChange = null } = message;
      const block = { ...blockLinkOf(events), changesTrees: changesTrees(events), previousChange };
      return { kind: 'slot', block, isOfRange };
    }
    case 'slot-reverted':
    case 'slot-adopted':
      return message;
    case 'tip':
      return { kind: 'other' };
  }
}

/** Selects what the resume state needs. */
export function selectTreeForResume(message: TreeUpdatesMessage): ResumeTreeMessage {
  switch (message.kind) {
    case 'update': {
      const { update, previousChange, isRepublished } = message;
      if (isRepublished) return { kind: 'other' };
      const changesTrees = update.changes.length > 0;
      return { kind: 'block', block: { ...blockLinkOf(update), changesTrees, previousChange } };
    }
    case 'watermark': {
      const { changesTrees, previousChange } = message;
      return { kind: 'block', block: { ...blockLinkOf(message), changesTrees, previousChange } };
    }
    case 'slot-reverted':
    case 'slot-adopted':
      return message;
  }
}

/**
 * Removes the reverts that an adoption has taken back. In another partition, or in the other topic, the adoption may be missing:
 * ingest was stopped before it was published there. Then the block counts as reverted until it is adopted again.
 *
 * @param messages of one partition, in their order
 */
export function withoutAdopted<Message extends ResumeSlotMessage | ResumeTreeMessage>(
  messages: readonly Message[],
): Message[] {
  const adopted = new Set<string>();
  return messages
    .toReversed()
    .filter((message) => {
      if (message.kind === 'slot-adopted') adopted.add(blockKey(message));
      return message.kind !== 'slot-reverted' || !adopted.has(blockKey(message));
    })
    .reverse();
}

/**
 * Derives the resume state from the newest messages of both topics, `withoutAdopted` for each partition, given in any order.
 *
 * ```
 *   published           100 ── 101 ── 102 ── 103       found by parent links, from the newest block that is not reverted
 *   partiallyPublished                        └ 104    in `tree-updates` alone: ingest stopped before `slot-events`
 *   reverted                      └ 102' ── 103'       103' descends from a reverted block: a slower ingest published it
 * ```
 *
 * An ingest that follows the chain writes each block that changes a tree first to `tree-updates`, then to `slot-events`, and
 * most other blocks to `slot-events` alone. So a block is published completely if it is in `slot-events`, or if its child is in
 * `tree-updates`. Blocks of ranges do not count: `tree-updates` may lack their changes. The ancestors of a complete block are complete,
 * also if other records have displaced theirs.
 */
export function readResumeState(
  slotMessages: readonly ResumeSlotMessage[],
  treeMessages: readonly ResumeTreeMessage[],
): ResumeState {
  const inSlots = toBlocks(slotMessages.flatMap((message) => (message.kind === 'slot' ? [message.block] : [])));
  const followed = slotMessages.flatMap((message) =>
    message.kind === 'slot' && !message.isOfRange ? [message.block] : [],
  );
  const ofTrees = treeMessages.flatMap((message) => (message.kind === 'block' ? [message.block] : []));
  const [inOrder, inTrees] = [toBlocks(followed), toBlocks(ofTrees)];
  const blocks = toBlocks([...inSlots.values(), ...inTrees.values()]);
  const reverted = readReverted(blocks, [...slotMessages, ...treeMessages]);
  const isFollowed = new Set([...inTrees.values()].map((block) => blockKey(parentOf(block))));
  const isComplete = (key: string) => isFollowed.has(key) || inOrder.has(key) || (inTrees.has(key) && inSlots.has(key));
  const published = linkPublished(blocks, (key) => isComplete(key) && !reverted.has(key));
  const windowStart = published.at(0)?.slot ?? -1;
  const isPublished = new Set(published.map(blockKey));
  const isPartial = (block: BlockLink) =>
    [isPublished, reverted].every((known) => !known.has(blockKey(block))) && !isComplete(blockKey(block));
  return {
    published,
    changes: readChanges(published, [...followed, ...ofTrees]),
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

/** The published blocks that change a tree, and those that records of published blocks name; oldest first. */
function readChanges(published: readonly BlockRef[], named: readonly NamedBlock[]): BlockRef[] {
  const isPublished = new Set(published.map(blockKey));
  const changes = named
    .filter((block) => isPublished.has(blockKey(block)))
    .flatMap((block) => [
      ...(block.previousChange ? [block.previousChange] : []),
      ...(block.changesTrees ? [blockRefOf(block)] : []),
    ]);
  return [...new Map(changes.map((block) => [blockKey(block), block])).values()].sort((a, b) => a.slot - b.slot);
}
