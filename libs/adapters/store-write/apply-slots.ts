import { blockKey, parentOf } from '@fresnel/domain/chain';
import { type EntityManager } from 'typeorm';
import { findOrphaned, insertOrphanedBlocks } from './orphaned-blocks.statement';
import { applyAccountFacts } from './accounts.statement';
import { findBlockhashes, findStoredBlocks, insertBlocks } from './blocks.statement';
import { NOTHING_REVERTED, type RevertedSlots, revertSlots } from './revert-slots';
import { type IgnoredSlot, type SlotUpdate } from './slot-batch';
import { insertTransactions, insertDeadLetters } from './transactions.statement';
import { insertAppends, upsertTrees } from './trees.statement';

/** The outcome for the slots of a run. */
export interface AppliedSlots {
  applied: SlotUpdate[];
  ignored: IgnoredSlot[];
  /** Orphaned slots that were stored. */
  reverted: RevertedSlots;
}

/**
 * These slots contradict facts stored by other slots. The transaction must be rolled back, and retried without them.
 */
export class ConflictingFactsError extends Error {
  constructor(readonly updates: readonly SlotUpdate[]) {
    super(`these slots contradict facts stored by other slots: ${updates.map(({ events }) => events.slot).join(', ')}`);
  }
}

/** Children of an orphaned block are stored. The transaction must be retried with the exclusive lock of slots. */
export class RevertNeededError extends Error {}

/**
 * Writes slots and everything that follows from them. Slots that are not on the stored chain are ignored. The transaction
 * must hold a lock of slots: blocks that it finds are not reverted meanwhile.
 *
 * @param mayRevert whether the lock is the exclusive one
 * @throws ConflictingFactsError, RevertNeededError
 */
export async function applySlots(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
  mayRevert: boolean,
): Promise<AppliedSlots> {
  const sorted = await storeBlocks(manager, updates, mayRevert);
  await writeFacts(manager, sorted.applied);
  return sorted;
}

/** Inserts the blocks of slots, and decides which slots are applied. Usually all blocks are new. */
async function storeBlocks(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
  mayRevert: boolean,
): Promise<AppliedSlots> {
  const insert = (from: readonly SlotUpdate[]) =>
    insertBlocks(
      manager,
      from.map(({ events }) => events),
    );
  if (updates.length === 0 || (await insert(updates)) === updates.length) {
    return { applied: [...updates], ignored: [], reverted: NOTHING_REVERTED };
  }
  const orphaned = await findOrphanedUpdates(manager, updates);
  const orphanedBlocks = orphaned.map(({ events: { slot, blockhash } }) => ({ slot, blockhash }));
  if (!mayRevert && orphaned.length > 0 && (await findStoredBlocks(manager, orphanedBlocks)).length > 0) {
    throw new RevertNeededError();
  }
  const reverted = mayRevert ? await revertSlots(manager, orphanedBlocks) : NOTHING_REVERTED;
  await insertOrphanedBlocks(manager, orphanedBlocks);
  const rest = updates.filter((update) => !orphaned.includes(update));
  if (orphaned.length > 0) await insert(rest);
  const stored = await findBlockhashes(
    manager,
    rest.map(({ events }) => events.slot),
  );
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
  await insertAppends(
    manager,
    collect(updates, ({ facts }) => facts.appended),
  );
  const transacted = await insertTransactions(
    manager,
    collect(updates, ({ facts }) => facts.transactions),
  );
  await insertDeadLetters(
    manager,
    collect(updates, ({ events, facts }) => [...events.deadLetters, ...facts.deadLetters]),
  );
  await upsertTrees(
    manager,
    updates.flatMap(({ events }) => events.trees),
  );
  // Last, because other writers wait for accounts that they change too.
  const stated = await applyAccountFacts(
    manager,
    collect(updates, ({ facts }) => facts.created),
    collect(updates, ({ facts }) => facts.consumed),
  );
  const conflicting = new Set([...stated, ...transacted]);
  if (conflicting.size > 0) {
    throw new ConflictingFactsError(updates.filter(({ events }) => conflicting.has(events.slot)));
  }
}

/** Collects the items of all slots, each with its slot. */
function collect<Item extends object>(
  updates: readonly SlotUpdate[],
  itemsOf: (update: SlotUpdate) => readonly Item[],
): (Item & { slot: number })[] {
  return updates.flatMap((update) => itemsOf(update).map((item) => ({ ...item, slot: update.events.slot })));
}
