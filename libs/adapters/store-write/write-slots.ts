import { movePosition, type TransactionJsonEncoder } from '@fresnel/adapters/store-schema';
import { type BlockLink } from '@fresnel/domain/chain';
import { type Slot } from '@fresnel/domain/primitives';
import { inSpan } from '@fresnel/platform';
import { type DataSource, type EntityManager } from 'typeorm';
import { type ApplyOptions, applySlots, ExclusiveLockNeededError } from './apply-slots';
import { findSlotsBelow, requireAboveIndex } from './blocks.statement';
import { ConflictingFactsError } from './conflicting-facts.error';
import { setFirstSlot } from './indexed-slot.statement';
import { deleteOrphanedBlocks } from './orphaned-blocks.statement';
import { retryConflicts, type OnConflict } from './retry-conflicts';
import { deleteSlots, type RevertedSlots, revertSlots } from './revert-slots';
import { upsertTrees } from './trees.statement';
import { type IgnoredSlot, type PersistedBatch, type SlotBatch, type SlotUpdate, toRuns } from './slot-batch';

/*
 * Writers that apply slots share a lock, a writer that reverts slots has it alone: a revert sees all of what it reverts,
 * and no slot is applied to a block that is being reverted. Transaction locks also work through a pooler of transactions.
 */
const LOCK_SLOTS_SHARED = `SELECT pg_advisory_xact_lock_shared(hashtext('fresnel-slots'))`;
const LOCK_SLOTS = `SELECT pg_advisory_xact_lock(hashtext('fresnel-slots'))`;

export interface WriteOptions {
  encodeJson: TransactionJsonEncoder;
  onConflict: OnConflict;
}

/**
 * Stores the trees of slots. Writes slots, reverts slots, and moves the position, in one transaction. The caller advances the
 * indexed slot after it. Slots that are already stored change nothing, unless they state more facts. After a conflict with
 * another writer the whole transaction is retried. Slots that are not on the stored chain are ignored, and returned as such.
 *
 * @returns with the indexed slot if reverts lowered it
 * @throws FencedError when another consumer claimed the partition; FirstSlotRevertedError; database errors unchanged
 */
export async function writeSlots(
  dataSource: DataSource,
  batch: SlotBatch,
  options: WriteOptions,
): Promise<PersistedBatch> {
  const { onConflict } = options;
  // In a transaction of its own, so that no writer of a new tree waits for the accounts of another writer.
  const trees = batch.slots.flatMap((slot) => ('events' in slot ? slot.events.trees : []));
  await retryConflicts(() => upsertTrees(dataSource.manager, trees, batch.position), onConflict);
  return inSpan('write slots', {}, () => writeInTransaction(dataSource, batch, options));
}

async function writeInTransaction(
  dataSource: DataSource,
  batch: SlotBatch,
  { encodeJson, onConflict }: WriteOptions,
): Promise<PersistedBatch> {
  const conflicting = new Set<SlotUpdate>();
  let isExclusive = batch.slots.some((slot) => 'reverted' in slot || ('events' in slot && slot.events.isFirst));
  for (;;) {
    try {
      return await retryConflicts(
        () => dataSource.transaction((manager) => writeBatch(manager, batch, { conflicting, encodeJson, isExclusive })),
        onConflict,
      );
    } catch (error) {
      if (error instanceof ConflictingFactsError) for (const update of error.updates) conflicting.add(update);
      else if (error instanceof ExclusiveLockNeededError) isExclusive = true;
      else throw error;
    }
  }
}

interface Attempt extends ApplyOptions {
  /** Slots to ignore. */
  conflicting: ReadonlySet<SlotUpdate>;
}

async function writeBatch(
  manager: EntityManager,
  { slots, position }: SlotBatch,
  { conflicting, ...options }: Attempt,
): Promise<PersistedBatch> {
  if (position) await movePosition(manager, position, newestSlotOf(slots));
  await manager.query(options.isExclusive ? LOCK_SLOTS : LOCK_SLOTS_SHARED);
  const reverted: BlockLink[] = [];
  let indexedSlot: number | null = null;
  const addReverted = ({ blocks, loweredTo }: RevertedSlots) => {
    reverted.push(...blocks);
    indexedSlot = loweredTo ?? indexedSlot;
  };
  const ignored = [...conflicting].map((update): IgnoredSlot => ({ update, reason: 'conflicting-facts' }));
  const inserted: number[] = [];
  for (const run of toRuns(slots.filter((slot) => !('events' in slot) || !conflicting.has(slot)))) {
    if (run.kind === 'reverts') addReverted(await revertSlots(manager, run.blocks));
    else if (run.kind === 'adoptions') await deleteOrphanedBlocks(manager, run.blocks);
    else {
      const applied = await applySlots(manager, run.updates, options);
      await startIndex(manager, applied.applied);
      inserted.push(...applied.inserted);
      ignored.push(...applied.ignored);
      addReverted(applied.reverted);
    }
  }
  await requireAboveIndex(manager, inserted);
  return { indexedSlot, ignored, reverted };
}

/**
 * Sets the first slot of the index, unless it is set. An ingest with another first block may have published blocks below it,
 * which were stored before. The transaction must hold the exclusive lock of slots if one of the slots is a first one.
 */
async function startIndex(manager: EntityManager, applied: readonly SlotUpdate[]): Promise<void> {
  const first = applied.find(({ events }) => events.isFirst)?.events.slot;
  if (first === undefined || !(await setFirstSlot(manager, first))) return;
  await deleteSlots(manager, await findSlotsBelow(manager, first));
}

function newestSlotOf(slots: SlotBatch['slots']): Slot | null {
  return slots.reduce<Slot | null>((newest, slot) => {
    if (!('events' in slot)) return newest;
    return newest === null || slot.events.slot > newest ? slot.events.slot : newest;
  }, null);
}
