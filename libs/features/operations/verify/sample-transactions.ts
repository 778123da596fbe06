import { createHash } from 'node:crypto';
import { type SampledTransaction } from '@fresnel/adapters/store-read';

/** The transactions of an index, in the order of their ids. */
export interface TransactionTable {
  findFrom(id: bigint, limit: number): Promise<SampledTransaction[]>;
  /** Null if there is none. */
  findLastId(): Promise<bigint | null>;
}

export interface Sample {
  transactions: AsyncIterable<SampledTransaction>;
  /** Whether it has all transactions of the index. */
  isComplete: boolean;
}

/**
 * Picks transactions at random places of the order of ids, each once: the next one from there on. A place is a random slot, so a
 * transaction after a long gap is picked more often than others. If there are no more than `count`, all are picked.
 *
 * @param seed the same seed picks the same places, as long as the index has the same slots
 */
export async function sampleTransactions(table: TransactionTable, count: number, seed: number): Promise<Sample> {
  const first = await table.findFrom(0n, count + 1);
  if (first.length <= count) return { transactions: listOf(first), isComplete: true };
  const lastId = (await table.findLastId()) ?? first[count].id;
  return { transactions: pick(table, { first: first[0].id, last: lastId }, count, seed), isComplete: false };
}

// eslint-disable-next-line @typescript-eslint/require-await -- a list in the form of a stream
async function* listOf(transactions: readonly SampledTransaction[]): AsyncGenerator<SampledTransaction> {
  yield* transactions;
}

async function* pick(
  table: TransactionTable,
  { first, last }: { first: bigint; last: bigint },
  count: number,
  seed: number,
): AsyncGenerator<SampledTransaction> {
  const picked = new Set<bigint>();
  // Places in one gap lead to the same transaction.
  for (let place = 0; picked.size < count && place < 2 * count; place++) {
    const id = first + (randomOf(seed, place) % (last - first + 1n));
    const found = (await table.findFrom(id, 1)).at(0);
    if (!found || picked.has(found.id)) continue;
    picked.add(found.id);
    yield found;
  }
}

/** A pseudorandom number below 2^64. */
function randomOf(seed: number, number: number): bigint {
  return randomBytesOf(seed, String(number)).readBigUInt64BE();
}

/** 32 pseudorandom bytes. @param name different for each use */
export function randomBytesOf(seed: number, name: string): Buffer {
  return createHash('sha256').update(`${seed} ${name}`).digest();
}
