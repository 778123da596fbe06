import { blockKey, type BlockLink, parentOf } from '@fresnel/domain/chain';
import { type EntityManager } from 'typeorm';
import { findOrphaned } from './orphaned-blocks.statement';
import { applyConsumed, applyCreated } from './accounts.statement';
import { lockSlotsShared, insertBlocks } from './blocks.statement';
import { revertSlots } from './revert-slots';
import { type IgnoredSlot, type SlotUpdate } from './slot-batch';
import { insertTransactions, insertDeadLetters } from './transactions.statement';
import { raiseAppendedLeaves, upsertTrees } from './trees.statement';

/** The outcome for the slots of a run. */
export interface AppliedSlots {
  applied: SlotUpdate[];
  ignored: IgnoredSlot[];
  /** Blocks of orphaned slots that were stored. */
  reverted: BlockLink[];
}

/**
 * These slots contradict facts stored by other slots. The transaction must be rolled back, and retried without them.
 */
export class ConflictingFactsError extends Error {
  constructor(readonly updates: readonly SlotUpdate[]) {
    super(`these slots contradict facts stored by other slots: ${updates.map(({ events }) => events.slot).join(', ')}`);
  }
}

/** Another writer reverted a block while this one applied it. The transaction must be retried. */
export class ConcurrentRevertError extends Error {}

/**
 * Writes slots and everything that follows from them. Slots that are not on the stored chain are ignored.
 *
 * @throws ConflictingFactsError, ConcurrentRevertError
 */
export async function applySlots(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<AppliedSlots> {
  const sorted = await storeBlocks(manager, updates);
  await writeFacts(manager, sorted.applied);
  return sorted;
}

/** Inserts the blocks of slots, and decides which slots are applied. Usually all blocks are new. */
async function storeBlocks(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<AppliedSlots> {
  const insert = (from: readonly SlotUpdate[]) =>
    insertBlocks(
      manager,
      from.map(({ events }) => events),
    );
  if (updates.length === 0 || (await insert(updates)) === updates.length) {
    return { applied: [...updates], ignored: [], reverted: [] };
  }
  const orphaned = await findOrphanedUpdates(manager, updates);
  const reverted = await revertSlots(
    manager,
    orphaned.map(({ events: { slot, blockhash } }) => ({ slot, blockhash })),
  );
  const rest = updates.filter((update) => !orphaned.includes(update));
  if (orphaned.length > 0) await insert(rest);
  const stored = await lockSlotsShared(
    manager,
    rest.map(({ events }) => events.slot),
  );
  if (rest.some(({ events }) => !stored.has(events.slot))) throw new ConcurrentRevertError();
  const isStored = ({ events }: SlotUpdate) => stored.get(events.slot)?.equals(events.blockhash) === true;
  const ignored = [
    ...orphaned.map((update): IgnoredSlot => ({ update, reason: 'orphaned' })),
    ...rest.filter((update) => !isStored(update)).map((update): IgnoredSlot => ({ update, reason: 'slot-conflict' })),
  ];
  return { applied: rest.filter(isStored), ignored, reverted };
}

/** Orphaned blocks and their descendants, which are orphaned too. */
async function findOrphanedUpdates(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<SlotUpdate[]> {
  const recorded = await findOrphaned(
    manager,
    updates.flatMap(({ events }) => [events, parentOf(events)]),
  );
  if (recorded.length === 0) return [];
  const orphaned = new Set(recorded.map(blockKey));
  const inOrder = updates.toSorted((one, other) => one.events.slot - other.events.slot);
  return inOrder.filter(({ events }) => {
    const isOrphaned = [events, parentOf(events)].some((block) => orphaned.has(blockKey(block)));
    if (isOrphaned) orphaned.add(blockKey(events));
    return isOrphaned;
  });
}

async function writeFacts(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  await upsertTrees(
    manager,
    updates.flatMap(({ events }) => events.trees),
  );
  const created = await applyCreated(
    manager,
    collect(updates, ({ facts }) => facts.created),
  );
  const consumed = await applyConsumed(
    manager,
    collect(updates, ({ facts }) => facts.consumed),
  );
  await raiseAppendedLeaves(
    manager,
    collect(updates, ({ facts }) => facts.appended),
  );
  const transacted = await insertTransactions(
    manager,
    collect(updates, ({ facts }) => facts.transactions),
  );
  const conflicting = new Set([...created, ...consumed, ...transacted]);
  if (conflicting.size > 0) {
    throw new ConflictingFactsError(updates.filter(({ events }) => conflicting.has(events.slot)));
  }
  await insertDeadLetters(
    manager,
    collect(updates, ({ events, facts }) => [...events.deadLetters, ...facts.deadLetters]),
  );
}

/** Collects the items of all slots, each with its slot. */
function collect<Item extends object>(
  updates: readonly SlotUpdate[],
  itemsOf: (update: SlotUpdate) => readonly Item[],
): (Item & { slot: number })[] {
  return updates.flatMap((update) => itemsOf(update).map((item) => ({ ...item, slot: update.events.slot })));
}
