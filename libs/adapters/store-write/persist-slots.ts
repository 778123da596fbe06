import { setTimeout as sleep } from 'node:timers/promises';
import { movePosition, sqlStateOf } from '@fresnel/adapters/store-schema';
import { type BlockLink } from '@fresnel/domain/chain';
import { FresnelError } from '@fresnel/domain/primitives';
import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { isOrphanedBlockStored } from './orphaned-blocks.statement';
import { applySlots, ConflictingFactsError, ConcurrentRevertError } from './apply-slots';
import { advanceIndexedSlot, lowerIndexedSlot, lockIndexerState } from './indexed-slot.statement';
import { revertSlots } from './revert-slots';
import {
  type IgnoredSlot,
  type PersistedBatch,
  type SlotBatch,
  type SlotChange,
  type SlotUpdate,
  toRuns,
} from './slot-batch';

/** The chain left the block that this index begins with. There is nothing below it to go on from. */
export class FirstSlotRevertedError extends FresnelError {
  readonly code = 'first-slot-reverted';
  readonly isRetryable = false;
}

/** The database asks to begin the transaction anew: serialization failure, deadlock. */
const TRY_AGAIN = ['40001', '40P01'];
const MAX_ATTEMPTS = 10;

/**
 * Writes slots, takes slots back, and moves the position that they reach, in one transaction; what was written before
 * changes nothing. Conflicts with other writers are tried again as a whole. Slots that are not on the stored chain are
 * left out, and the answer says which.
 *
 * @throws StalePositionError when another consumer took over; FirstSlotRevertedError; errors of the database as they come
 */
export async function persistSlots(dataSource: DataSource, batch: SlotBatch): Promise<PersistedBatch> {
  const contradicted = new Set<SlotUpdate>();
  for (;;) {
    try {
      return await retryConflicts(() => dataSource.transaction((manager) => writeBatch(manager, batch, contradicted)));
    } catch (error) {
      if (!(error instanceof ConflictingFactsError)) throw error;
      for (const update of error.updates) contradicted.add(update);
    }
  }
}

async function retryConflicts<Result>(transact: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isConflict(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

async function writeBatch(
  manager: EntityManager,
  { slots, chainTip, position }: SlotBatch,
  contradicted: ReadonlySet<SlotUpdate>,
): Promise<PersistedBatch> {
  const applied: SlotUpdate[] = [];
  const reverted: BlockLink[] = [];
  const ignored = [...contradicted].map((update): IgnoredSlot => ({ update, reason: 'contradicts-facts' }));
  for (const { updates, reverts } of toRuns(slots.filter((slot) => 'reverted' in slot || !contradicted.has(slot)))) {
    reverted.push(...(await revertSlots(manager, reverts)));
    const run = await applySlots(manager, updates);
    applied.push(...run.applied);
    ignored.push(...run.ignored);
    reverted.push(...run.reverted);
  }
  if (position) await movePosition(manager, position);
  const firstSlot = await lockIndexerState(manager, firstSlotOf(applied), chainTip);
  if (await isOrphanedBlockStored(manager, slots.map(slotOf))) throw new ConcurrentRevertError();
  return { indexedSlot: await moveIndexedSlot(manager, firstSlot, reverted), ignored, reverted };
}

function slotOf(change: SlotChange): number {
  return 'reverted' in change ? change.reverted.slot : change.events.slot;
}

/** The first slot among those that were applied, where it is there. */
function firstSlotOf(applied: readonly SlotUpdate[]): number | null {
  return applied.find(({ events }) => events.isFirst)?.events.slot ?? null;
}

/** Behind the parents of the blocks that went, then on as far as blocks reach. */
async function moveIndexedSlot(
  manager: EntityManager,
  firstSlot: number | null,
  reverted: readonly BlockLink[],
): Promise<number | null> {
  if (reverted.some(({ slot }) => slot === firstSlot)) {
    throw new FirstSlotRevertedError(
      `the chain left slot ${firstSlot}, at which this index begins, and nothing below it is held: begin anew with an empty database, at a slot that is final`,
    );
  }
  const lowered =
    reverted.length === 0
      ? null
      : await lowerIndexedSlot(manager, Math.min(...reverted.map(({ parentSlot }) => parentSlot)));
  return (await advanceIndexedSlot(manager)) ?? lowered;
}

function isConflict(error: unknown): boolean {
  if (error instanceof ConcurrentRevertError) return true;
  return error instanceof QueryFailedError && TRY_AGAIN.includes(sqlStateOf(error.driverError) ?? '');
}
