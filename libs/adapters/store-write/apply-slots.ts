import { type TransactionJsonEncoder } from '@fresnel/adapters/store-schema';
import { blockKey, isSparse, parentOf } from '@fresnel/domain/chain';
import { mayChangeTrees, mergeDeadLetters } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { findOrphaned, insertOrphanedChildren } from './orphaned-blocks.statement';
import { insertAccounts } from './accounts.statement';
import { insertAttestedRanges } from './attested-ranges.statement';
import { insertBlockSignatures } from './block-signatures.statement';
import { findBlockhashes, findOldSlots, findStoredBlocks, insertBlocks, markTreeChanges } from './blocks.statement';
import { completeSlots, findExtendedSlots } from './complete-slots';
import { ConflictingFactsError } from './conflicting-facts.error';
import { type DeadLetterInSlot, insertDeadLetters, updateDeadLetters } from './dead-letters.statement';
import { factsOfSlot } from './facts-of-slot';
import { insertMigratedLeaves } from './migrated-leaves.statement';
import { NOTHING_REVERTED, type RevertedSlots, revertStored } from './revert-slots';
import { insertSpends } from './spends.statement';
import { type IgnoredSlot, type IgnoreReason, type SlotUpdate } from './slot-batch';
import { insertTransactions, transactionJsonOf } from './transactions.statement';
import { insertAppends } from './trees.statement';

/** The outcome for the slots of a run. */
export interface AppliedSlots {
  applied: SlotUpdate[];
  /** Those of them whose blocks this transaction has inserted. */
  inserted: number[];
  ignored: IgnoredSlot[];
  /** Orphaned slots that were stored. */
  reverted: RevertedSlots;
}

/**
 * Stored slots change: children of an orphaned block are reverted, or a slot was published again with more facts. The
 * transaction must be retried with the exclusive lock of slots.
 */
export class ExclusiveLockNeededError extends Error {}

export interface ApplyOptions {
  encodeJson: TransactionJsonEncoder;
  /** Whether the lock of slots is the exclusive one. */
  isExclusive: boolean;
}

/**
 * Writes the facts of slots, whose trees must be stored. Slots that are not on the stored chain are ignored. The transaction
 * must hold a lock of slots: blocks that it finds are not reverted meanwhile. It must end with `requireAboveIndex`.
 *
 * @throws ConflictingFactsError, ExclusiveLockNeededError
 */
export async function applySlots(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
  options: ApplyOptions,
): Promise<AppliedSlots> {
  const { fresh, stored, old, ignored, reverted } = await storeBlocks(manager, updates, options.isExclusive);
  await writeFacts(manager, fresh, options.encodeJson);
  await insertAttestedRanges(
    manager,
    [...fresh, ...stored, ...old].map(({ events }) => events),
  );
  await insertBlockSignatures(
    manager,
    [...fresh, ...stored].map(({ events }) => events),
  );
  const repeated = [...stored, ...old];
  for (const updates of withoutRepetitions(repeated)) await reapplySlots(manager, updates, options);
  return { applied: [...fresh, ...repeated], inserted: fresh.map(({ events }) => events.slot), ignored, reverted };
}

/** Applies slots that were applied before, each at most once. */
async function reapplySlots(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
  { encodeJson, isExclusive }: ApplyOptions,
): Promise<void> {
  const extended = await findExtendedSlots(manager, updates);
  if (extended.length > 0 && !isExclusive) throw new ExclusiveLockNeededError();
  await completeSlots(manager, extended, (_, updates) => writeFacts(manager, updates, encodeJson));
  await markTreeChanges(
    manager,
    extended.flatMap(({ events }) => (mayChangeTrees(events) ? [events.slot] : [])),
  );
  await insertAppends(manager, collectAppends(updates));
  await updateDeadLetters(
    manager,
    updates.map(({ events }) => events.slot),
    collectDeadLetters(updates),
  );
}

/** Splits slots into lists in which each slot occurs once, in the order of its occurrences. Usually there is one list. */
function withoutRepetitions(updates: readonly SlotUpdate[]): SlotUpdate[][] {
  const counts = new Map<number, number>();
  const lists: SlotUpdate[][] = [];
  for (const update of updates) {
    const { slot } = update.events;
    const count = counts.get(slot) ?? 0;
    counts.set(slot, count + 1);
    (lists[count] ??= []).push(update);
  }
  return lists;
}

interface StoredBlocks {
  /** Slots whose blocks were inserted, each once. */
  fresh: SlotUpdate[];
  /** Slots whose blocks were stored before. */
  stored: SlotUpdate[];
  /** Slots whose blocks are deleted by now, and which are known by their transactions. */
  old: SlotUpdate[];
  ignored: IgnoredSlot[];
  /** Orphaned slots that were stored. */
  reverted: RevertedSlots;
}

/** Inserts the blocks of slots, and decides which slots are applied. Usually all blocks are new. */
async function storeBlocks(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
  isExclusive: boolean,
): Promise<StoredBlocks> {
  const nothing = { fresh: [], stored: [], old: [], ignored: [], reverted: NOTHING_REVERTED };
  if (updates.length === 0) return nothing;
  const insert = (from: readonly SlotUpdate[]) =>
    insertBlocks(
      manager,
      from.map(({ events }) => events),
    );
  let inserted = await insert(updates);
  if (inserted.size === updates.length) return { ...nothing, fresh: [...updates] };
  const orphaned = await findOrphanedUpdates(manager, updates);
  const orphanedBlocks = orphaned.map(({ events }) => events);
  if (!isExclusive && orphaned.length > 0 && (await findStoredBlocks(manager, orphanedBlocks)).length > 0) {
    throw new ExclusiveLockNeededError();
  }
  const reverted = isExclusive ? await revertStored(manager, orphanedBlocks) : NOTHING_REVERTED;
  await insertOrphanedChildren(manager, orphanedBlocks);
  const rest = updates.filter((update) => !orphaned.includes(update));
  if (orphaned.length > 0) inserted = await insert(rest);
  const { stored, ...others } = await classifySlots(manager, rest);
  const fresh = stored.filter(({ events }) => inserted.delete(events.slot));
  return {
    fresh,
    stored: stored.filter((update) => !fresh.includes(update)),
    old: others.old,
    ignored: [...orphaned.map((update): IgnoredSlot => ({ update, reason: 'orphaned' })), ...others.ignored],
    reverted,
  };
}

/**
 * Decides which slots belong to the stored chain. While blocks are kept, they decide: a block that is not stored was not
 * inserted, because the index has passed its slot on another branch. Of slots whose blocks are deleted only the transactions
 * are known: if the chain had none, there is nothing to complete. A sparse block is final: another source may have it, and the one
 * that the index has passed its slot with may lack it.
 */
async function classifySlots(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
): Promise<Pick<StoredBlocks, 'stored' | 'old' | 'ignored'>> {
  const slots = updates.map(({ events }) => events.slot);
  const blockhashes = await findBlockhashes(manager, slots);
  const oldSlots = await findOldSlots(
    manager,
    slots.filter((slot) => !blockhashes.has(slot)),
  );
  const result: Pick<StoredBlocks, 'stored' | 'old' | 'ignored'> = { stored: [], old: [], ignored: [] };
  const ignore = (update: SlotUpdate, reason: IgnoreReason) => result.ignored.push({ update, reason });
  for (const update of updates) {
    const { slot, blockhash } = update.events;
    const known = blockhashes.get(slot);
    if (known) {
      if (known.equals(blockhash)) result.stored.push(update);
      else ignore(update, 'slot-conflict');
    } else if (oldSlots.get(slot) || isSparse(update.events)) result.old.push(update);
    else if (!oldSlots.has(slot) || hasTransactions(update)) ignore(update, 'not-on-branch');
  }
  return result;
}

function hasTransactions({ events, facts }: SlotUpdate): boolean {
  return facts.transactions.length + events.deadLetters.length + facts.deadLetters.length > 0;
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

/** @throws ConflictingFactsError */
async function writeFacts(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
  encodeJson: TransactionJsonEncoder,
): Promise<void> {
  if (updates.length === 0) return;
  const facts = updates.map(factsOfSlot);
  // Encoding takes as long as the statements before the one that needs it.
  const encoding = encodeJson(transactionJsonOf(facts));
  encoding.catch(() => undefined); // thrown below, unless a statement fails before
  await insertAppends(manager, collectAppends(updates));
  await insertMigratedLeaves(
    manager,
    collect(updates, ({ facts }) => facts.migrated),
  );
  await insertDeadLetters(manager, collectDeadLetters(updates));
  const conflicting = new Set([
    ...(await insertAccounts(manager, facts)),
    ...(await insertSpends(manager, facts)),
    ...(await insertTransactions(manager, facts, await encoding)),
  ]);
  if (conflicting.size > 0) {
    throw new ConflictingFactsError(updates.filter(({ events }) => conflicting.has(events.slot)));
  }
}

function collectDeadLetters(updates: readonly SlotUpdate[]): DeadLetterInSlot[] {
  return collect(updates, ({ events, facts }) => mergeDeadLetters(events.deadLetters, facts.deadLetters));
}

function collectAppends(updates: readonly SlotUpdate[]) {
  return collect(updates, ({ facts }) => facts.appended);
}

/** Collects the items of all slots, each with its slot. */
function collect<Item extends object>(
  updates: readonly SlotUpdate[],
  itemsOf: (update: SlotUpdate) => readonly Item[],
): (Item & { slot: number })[] {
  return updates.flatMap((update) => itemsOf(update).map((item) => ({ ...item, slot: update.events.slot })));
}
