import { setTimeout as sleep } from 'node:timers/promises';
import { movePosition, type PositionMove, sqlStateOf } from '@fresnel/adapters/store-schema';
import { type AccountFacts, type SlotEvents } from '@fresnel/domain/state';
import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { applyConsumed, applyCreated } from './accounts.statement';
import { insertBlocks } from './blocks.statement';
import { advanceIndexedSlot, type ChainTip } from './indexed-slot.statement';
import { insertTransactions, parkTransactions } from './transactions.statement';
import { raiseAppendedLeaves, upsertTrees } from './trees.statement';

/** One slot with the facts that follow from it. */
export interface SlotUpdate {
  events: SlotEvents;
  facts: AccountFacts;
}

/** What is written in one transaction: slots in any order, and the step of the position that they are. */
export interface SlotBatch {
  slots: readonly SlotUpdate[];
  chainTip: ChainTip | null;
  /** Null where slots do not come from a bus. */
  position: PositionMove | null;
}

export interface PersistedBatch {
  /** Null when it did not move. */
  indexedSlot: number | null;
}

/** The database asks to begin the transaction anew: serialization failure, deadlock. */
const TRY_AGAIN = ['40001', '40P01'];
const MAX_ATTEMPTS = 10;

/**
 * Writes slots and the position that they reach in one transaction; what was written before changes nothing. Conflicts
 * with other writers are tried again as a whole.
 *
 * @throws StalePositionError when another consumer took over; errors of the database as they come
 */
export async function persistSlots(dataSource: DataSource, batch: SlotBatch): Promise<PersistedBatch> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataSource.transaction((manager) => writeBatch(manager, batch));
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isConflict(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

async function writeBatch(manager: EntityManager, { slots, chainTip, position }: SlotBatch): Promise<PersistedBatch> {
  const events = slots.map((slot) => slot.events);
  if (slots.length > 0) {
    await insertBlocks(manager, events);
    await upsertTrees(
      manager,
      events.flatMap(({ trees }) => trees),
    );
    await applyCreated(
      manager,
      collect(slots, ({ facts }) => facts.created),
    );
    await applyConsumed(
      manager,
      collect(slots, ({ facts }) => facts.consumed),
    );
    await raiseAppendedLeaves(
      manager,
      slots.flatMap(({ facts }) => facts.appended),
    );
    await insertTransactions(
      manager,
      collect(slots, ({ facts }) => facts.transactions),
    );
    await parkTransactions(
      manager,
      collect(slots, ({ events, facts }) => [...events.parked, ...facts.parked]),
    );
  }
  if (position) await movePosition(manager, position);
  const firstSlot = events.find(({ isFirst }) => isFirst)?.slot ?? null;
  return { indexedSlot: await advanceIndexedSlot(manager, firstSlot, chainTip) };
}

/** The items of all slots, each with its slot. */
function collect<Item extends object>(
  slots: readonly SlotUpdate[],
  itemsOf: (slot: SlotUpdate) => readonly Item[],
): (Item & { slot: number })[] {
  return slots.flatMap((slot) => itemsOf(slot).map((item) => ({ ...item, slot: slot.events.slot })));
}

function isConflict(error: unknown): boolean {
  return error instanceof QueryFailedError && TRY_AGAIN.includes(sqlStateOf(error.driverError) ?? '');
}
