import { type Hash, keyOf } from '@fresnel/domain/primitives';
import { type MigratedLeaf, type TransactionAccounts } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { ConflictingFactsError } from './conflicting-facts.error';
import { slotOf } from './facts-of-slot';
import { deriveSlots, lockIndexedSlot } from './indexed-slot.statement';
import { deleteMigratedLeaves, findMigratedLeaves } from './migrated-leaves.statement';
import { type SlotUpdate } from './slot-batch';
import { deleteTransactions } from './delete-transactions';
import { addAmendment, type TransactionPlace } from './revisions.statement';
import { findTransactions, type StoredTransaction } from './transactions.statement';
import { deleteAppends } from './trees.statement';

/*
 * A slot that is published again usually states the same facts again. It states more facts if a transaction could not be
 * parsed completely at first, for example because the node could not return an account.
 */

/**
 * Finds the slots that state more facts than are stored for them.
 *
 * @param updates slots whose blocks are stored
 * @throws ConflictingFactsError for slots that state more facts, but lack some of the stored ones
 */
export async function findExtendedSlots(manager: EntityManager, updates: readonly SlotUpdate[]): Promise<SlotUpdate[]> {
  if (updates.length === 0) return [];
  const stored = new Map<number, Set<string>>(updates.map(({ events }) => [events.slot, new Set()]));
  for (const transaction of await findTransactions(manager, [...stored.keys()])) {
    for (const fact of namesOf(transaction.signature, transaction)) stored.get(slotOf(transaction.id))?.add(fact);
  }
  for (const leaf of await findMigratedLeaves(manager, [...stored.keys()])) stored.get(leaf.slot)?.add(nameOf(leaf));
  const extended = updates.filter(({ events, facts }) => {
    const known = stored.get(events.slot);
    return factNamesOf(facts).some((fact) => !known?.has(fact));
  });
  const lacking = extended.filter(({ events, facts }) => {
    const stated = new Set(factNamesOf(facts));
    return [...(stored.get(events.slot) ?? [])].some((fact) => !stated.has(fact));
  });
  if (lacking.length > 0) throw new ConflictingFactsError(lacking);
  return extended;
}

function factNamesOf({ transactions, migrated }: SlotUpdate['facts']): string[] {
  return [
    ...transactions.flatMap(({ transaction, ...accounts }) => namesOf(transaction.signature, accounts)),
    ...migrated.map(nameOf),
  ];
}

function nameOf({ tree, hash }: Pick<MigratedLeaf, 'tree' | 'hash'>): string {
  return `${keyOf(tree)} received ${keyOf(hash)}`;
}

function namesOf(signature: Buffer, { created, consumed }: { created: Hash[]; consumed: Hash[] }): string[] {
  const by = keyOf(signature);
  return [
    by,
    ...created.map((hash) => `${by} created ${keyOf(hash)}`),
    ...consumed.map((hash) => `${by} consumed ${keyOf(hash)}`),
  ];
}

/**
 * Replaces the facts of slots, and what follows from them if they are indexed; then their changed transactions are a revision. The
 * transaction must hold the exclusive lock of slots.
 *
 * @param write writes the facts of slots without stored facts
 */
export async function completeSlots(
  manager: EntityManager,
  updates: readonly SlotUpdate[],
  write: (manager: EntityManager, updates: readonly SlotUpdate[]) => Promise<void>,
): Promise<void> {
  if (updates.length === 0) return;
  const slots = updates.map(({ events }) => events.slot);
  const { indexedSlot } = await lockIndexedSlot(manager);
  const indexed = slots.filter((slot) => indexedSlot !== null && slot <= indexedSlot);
  const before = await findTransactions(manager, indexed);
  await deriveSlots(manager, indexed, 'remove');
  await deleteTransactions(manager, slots);
  await deleteAppends(manager, slots);
  await deleteMigratedLeaves(manager, slots);
  await write(manager, updates);
  await deriveSlots(manager, indexed, 'add');
  const changed = findChanged(
    before,
    updates.filter(({ events }) => indexed.includes(events.slot)),
  );
  const created = changed.flatMap(({ accounts }) => accounts.created);
  await addAmendment(manager, distinct([...changed, ...(await findSpenders(manager, created))]));
}

interface ChangedTransaction extends TransactionPlace {
  accounts: TransactionAccounts;
}

/** The transactions that were not stored before, or with other accounts. */
function findChanged(before: readonly StoredTransaction[], updates: readonly SlotUpdate[]): ChangedTransaction[] {
  const known = new Set(before.map((stored) => namesOf(stored.signature, stored).join()));
  return updates.flatMap(({ events: { slot }, facts }) =>
    facts.transactions
      .filter(({ transaction, ...accounts }) => !known.has(namesOf(transaction.signature, accounts).join()))
      .map((accounts) => ({ slot, index: accounts.transaction.index, accounts })),
  );
}

const SPENDERS = `
  SELECT t.id, t.block_index FROM unnest($1::bytea[]) AS list (hash)
  JOIN spends s ON s.hash = list.hash
  JOIN transactions t ON t.id = s.spent_by
  WHERE s.spent_by < ((SELECT indexed_slot FROM indexer_state) + 1) << 16`;

/** The indexed transactions that spend accounts. They did not show accounts that nothing had created. */
async function findSpenders(manager: EntityManager, hashes: readonly Hash[]): Promise<TransactionPlace[]> {
  if (hashes.length === 0) return [];
  const rows = await manager.query<{ id: string; block_index: number }[]>(SPENDERS, [hashes]);
  return rows.map(({ id, block_index: index }) => ({ slot: slotOf(BigInt(id)), index }));
}

function distinct(places: readonly TransactionPlace[]): TransactionPlace[] {
  return [...new Map(places.map((place) => [`${place.slot}/${place.index}`, place])).values()];
}
