import { blockKey, type BlockLink, parentOf } from '@fresnel/domain/chain';
import { type EntityManager } from 'typeorm';
import { findOrphaned } from './orphaned-blocks.statement';
import { applyConsumed, applyCreated } from './accounts.statement';
import { lockSlotsShared, insertBlocks } from './blocks.statement';
import { revertSlots } from './revert-slots';
import { type IgnoredSlot, type SlotUpdate } from './slot-batch';
import { insertTransactions, insertDeadLetters } from './transactions.statement';
import { raiseAppendedLeaves, upsertTrees } from './trees.statement';

/** What was done with the slots of a run. */
export interface AppliedSlots {
  applied: SlotUpdate[];
  ignored: IgnoredSlot[];
  /** Blocks of abandoned slots that were stored. */
  reverted: BlockLink[];
}

/** Slots tell facts that other slots have told. Nothing of the transaction may stay; without these slots it can be tried anew. */
export class ConflictingFactsError extends Error {
  constructor(readonly updates: readonly SlotUpdate[]) {
    super(`slots contradict what is stored: ${updates.map(({ events }) => events.slot).join(', ')}`);
  }
}

/** One writer applied a block while another one took it back; the transaction is to be tried anew. */
export class ConcurrentRevertError extends Error {}

/**
 * Writes slots with all that follows from them, but for those that are not on the chain that is stored.
 *
 * @throws ContradictedSlotsError, CrossedWritersError
 */
export async function applySlots(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<AppliedSlots> {
  const sorted = await storeBlocks(manager, updates);
  await writeFacts(manager, sorted.applied);
  return sorted;
}

/** Stores the blocks of slots, and finds out which slots are not to be applied. Mostly all of them are new. */
async function storeBlocks(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<AppliedSlots> {
  const insert = (from: readonly SlotUpdate[]) =>
    insertBlocks(
      manager,
      from.map(({ events }) => events),
    );
  if (updates.length === 0 || (await insert(updates)) === updates.length) {
    return { applied: [...updates], ignored: [], reverted: [] };
  }
  const abandoned = await findOrphanedUpdates(manager, updates);
  const reverted = await revertSlots(
    manager,
    abandoned.map(({ events: { slot, blockhash } }) => ({ slot, blockhash })),
  );
  const rest = updates.filter((update) => !abandoned.includes(update));
  if (abandoned.length > 0) await insert(rest);
  const stored = await lockSlotsShared(
    manager,
    rest.map(({ events }) => events.slot),
  );
  if (rest.some(({ events }) => !stored.has(events.slot))) throw new ConcurrentRevertError();
  const stands = ({ events }: SlotUpdate) => stored.get(events.slot)?.equals(events.blockhash) === true;
  const ignored = [
    ...abandoned.map((update): IgnoredSlot => ({ update, reason: 'abandoned' })),
    ...rest.filter((update) => !stands(update)).map((update): IgnoredSlot => ({ update, reason: 'other-block' })),
  ];
  return { applied: rest.filter(stands), ignored, reverted };
}

/** Abandoned blocks, and those that build on one: they are abandoned too, whether or not anybody says so. */
async function findOrphanedUpdates(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<SlotUpdate[]> {
  const known = await findOrphaned(
    manager,
    updates.flatMap(({ events }) => [events, parentOf(events)]),
  );
  if (known.length === 0) return [];
  const abandoned = new Set(known.map(blockKey));
  const inOrder = updates.toSorted((one, other) => one.events.slot - other.events.slot);
  return inOrder.filter(({ events }) => {
    const isOrphaned = [events, parentOf(events)].some((block) => abandoned.has(blockKey(block)));
    if (isOrphaned) abandoned.add(blockKey(events));
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
  const contradicted = new Set([...created, ...consumed, ...transacted]);
  if (contradicted.size > 0) {
    throw new ConflictingFactsError(updates.filter(({ events }) => contradicted.has(events.slot)));
  }
  await insertDeadLetters(
    manager,
    collect(updates, ({ events, facts }) => [...events.parked, ...facts.parked]),
  );
}

/** The items of all slots, each with its slot. */
function collect<Item extends object>(
  updates: readonly SlotUpdate[],
  itemsOf: (update: SlotUpdate) => readonly Item[],
): (Item & { slot: number })[] {
  return updates.flatMap((update) => itemsOf(update).map((item) => ({ ...item, slot: update.events.slot })));
}
