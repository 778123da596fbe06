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

/** The first block of the index was orphaned, so no block remains to continue from. */
export class FirstSlotRevertedError extends FresnelError {
  readonly code = 'first-slot-reverted';
  readonly isRetryable = false;
}

/** SQLSTATEs after which the transaction is retried: serialization failure, deadlock. */
const RETRYABLE_STATES = ['40001', '40P01'];
const MAX_ATTEMPTS = 10;

/**
 * Writes slots, reverts slots, and moves the position, in one transaction. Slots that are already stored change
 * nothing. After a conflict with another writer the whole transaction is retried. Slots that are not on the stored
 * chain are ignored, and returned as such.
 *
 * @throws FencedError when another consumer claimed the partition; FirstSlotRevertedError; database errors unchanged
 */
export async function persistSlots(dataSource: DataSource, batch: SlotBatch): Promise<PersistedBatch> {
  const conflicting = new Set<SlotUpdate>();
  for (;;) {
    try {
      return await retryConflicts(() => dataSource.transaction((manager) => writeBatch(manager, batch, conflicting)));
    } catch (error) {
      if (!(error instanceof ConflictingFactsError)) throw error;
      for (const update of error.updates) conflicting.add(update);
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
  conflicting: ReadonlySet<SlotUpdate>,
): Promise<PersistedBatch> {
  const applied: SlotUpdate[] = [];
  const reverted: BlockLink[] = [];
  const ignored = [...conflicting].map((update): IgnoredSlot => ({ update, reason: 'conflicting-facts' }));
  for (const { updates, reverts } of toRuns(slots.filter((slot) => 'reverted' in slot || !conflicting.has(slot)))) {
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

/** The first slot of the index, if it was applied. */
function firstSlotOf(applied: readonly SlotUpdate[]): number | null {
  return applied.find(({ events }) => events.isFirst)?.events.slot ?? null;
}

/** Lowers the indexed slot to the parents of reverted blocks, then advances it along the stored blocks. */
async function moveIndexedSlot(
  manager: EntityManager,
  firstSlot: number | null,
  reverted: readonly BlockLink[],
): Promise<number | null> {
  if (reverted.some(({ slot }) => slot === firstSlot)) {
    throw new FirstSlotRevertedError(
      `slot ${firstSlot}, the first slot of this index, was orphaned, and no older slot is stored: rebuild the index with an empty database, starting at a finalized slot`,
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
  return error instanceof QueryFailedError && RETRYABLE_STATES.includes(sqlStateOf(error.driverError) ?? '');
}
