import { createHash } from 'node:crypto';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents, type TransactionEvents } from '@fresnel/domain/state';

/** A chain that goes on in two ways. */
export interface Fork {
  /** What both have in common. */
  trunk: SlotEvents[];
  /** The way that the chain did not keep. */
  abandoned: SlotEvents[];
  /** The way that it kept. */
  kept: SlotEvents[];
}

/**
 * Lets a chain leave its last blocks. Most of their transactions land again, in other slots; the last ones never do, so
 * that none misses what it builds on. Others come new.
 *
 * @param slots the chain with the blocks that it leaves
 * @param depth how many blocks those are, fewer than there are
 * @param strangers transactions that only the kept way has
 * @param name makes the hashes of both ways unlike those of other forks
 */
export function forkSlots(
  slots: readonly SlotEvents[],
  depth: number,
  strangers: readonly TransactionEvents[],
  name: string,
): Fork {
  const trunk = slots.slice(0, -depth);
  const left = slots.slice(-depth);
  const abandoned = left.map((events, at) => ({
    ...events,
    deadLetters: [{ signature: null, index: 999, reasons: [`dead letter of ${name}`], json: '{}' }],
    blockhash: hashOf(name, 'abandoned', events.slot),
    parentBlockhash: at === 0 ? events.parentBlockhash : hashOf(name, 'abandoned', events.parentSlot),
  }));
  const transactions = left.flatMap((events) => events.transactions);
  const landed = [...transactions.slice(0, Math.ceil(transactions.length * 0.75)), ...strangers];
  return { trunk, abandoned, kept: keep(trunk[trunk.length - 1], left, landed, name) };
}

/** As many blocks and one more, one slot later than those that were left, with the transactions spread over them. */
function keep(
  tip: SlotEvents,
  left: readonly SlotEvents[],
  landed: readonly TransactionEvents[],
  name: string,
): SlotEvents[] {
  const kept: SlotEvents[] = [];
  for (const [at, slot] of [...left.map((events) => events.slot), left[left.length - 1].slot + 1].entries()) {
    const parent = kept.at(-1) ?? tip;
    const isHere = (_: TransactionEvents, place: number) =>
      Math.floor((place * (left.length + 1)) / landed.length) === at;
    kept.push({
      ...left[0],
      slot: toSlot(slot + 1),
      parentSlot: parent.slot,
      parentBlockhash: parent.blockhash,
      blockhash: hashOf(name, 'kept', slot + 1),
      blockTime: left[0].blockTime + at + 7,
      transactions: landed.filter(isHere).map((transaction, index) => ({ ...transaction, index })),
    });
  }
  return kept;
}

function hashOf(...parts: (string | number)[]): Hash {
  return createHash('sha256').update(parts.join('/')).digest() as Hash;
}
