import { createHash } from 'node:crypto';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents, type TransactionEvents } from '@fresnel/domain/state';

/** A chain with two branches. */
export interface Fork {
  /** Slots of both branches. */
  shared: SlotEvents[];
  /** Slots of the branch that was orphaned. */
  orphaned: SlotEvents[];
  /** Slots of the branch that stayed on the chain. */
  canonical: SlotEvents[];
}

/**
 * Orphans the last blocks of a chain. Most of their transactions land again, in other slots. The last ones do not, so every
 * transaction still finds those that it depends on. Some transactions are new.
 *
 * @param slots the chain, including the blocks that are orphaned
 * @param depth the number of orphaned blocks, less than all
 * @param newTransactions transactions of the canonical branch only
 * @param name makes the blockhashes differ from those of other forks
 */
export function forkSlots(
  slots: readonly SlotEvents[],
  depth: number,
  newTransactions: readonly TransactionEvents[],
  name: string,
): Fork {
  const shared = slots.slice(0, -depth);
  const last = slots.slice(-depth);
  const orphaned = last.map((events, at) => ({
    ...events,
    deadLetters: [{ signature: null, index: 999, reasons: [`dead letter of ${name}`], json: '{}' }],
    blockhash: hashOf(name, 'orphaned', events.slot),
    parentBlockhash: at === 0 ? events.parentBlockhash : hashOf(name, 'orphaned', events.parentSlot),
  }));
  const transactions = last.flatMap((events) => events.transactions);
  const landed = [...transactions.slice(0, Math.ceil(transactions.length * 0.75)), ...newTransactions];
  return { shared: shared, orphaned: orphaned, canonical: buildBranch(shared[shared.length - 1], last, landed, name) };
}

/** Builds one block more than were orphaned, each one slot later, and distributes the transactions over them. */
function buildBranch(
  tip: SlotEvents,
  last: readonly SlotEvents[],
  landed: readonly TransactionEvents[],
  name: string,
): SlotEvents[] {
  const branch: SlotEvents[] = [];
  for (const [at, slot] of [...last.map((events) => events.slot), last[last.length - 1].slot + 1].entries()) {
    const parent = branch.at(-1) ?? tip;
    const isHere = (_: TransactionEvents, index: number) =>
      Math.floor((index * (last.length + 1)) / landed.length) === at;
    branch.push({
      ...last[0],
      slot: toSlot(slot + 1),
      parentSlot: parent.slot,
      parentBlockhash: parent.blockhash,
      blockhash: hashOf(name, 'canonical', slot + 1),
      blockTime: last[0].blockTime + at + 7,
      transactions: landed.filter(isHere).map((transaction, index) => ({ ...transaction, index })),
    });
  }
  return branch;
}

function hashOf(...parts: (string | number)[]): Hash {
  return createHash('sha256').update(parts.join('/')).digest() as Hash;
}
