import { firstTransactionId, transactionIds } from '@fresnel/adapters/store-schema';
import { type Hash, type Signature } from '@fresnel/domain/primitives';
import { type ConsumedAccount, type CreatedAccount, type TransactionAccounts } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { type SlotUpdate } from './slot-batch';

/** A fact with the id of its transaction. */
export type WithTransactionId<Fact> = Fact & { transactionId: bigint };

/** The facts of a slot, each with the id of its transaction, and each account once. */
export interface FactsOfSlot {
  slot: number;
  blockTime: number;
  created: WithTransactionId<CreatedAccount>[];
  consumed: WithTransactionId<ConsumedAccount>[];
  transactions: WithTransactionId<TransactionAccounts>[];
}

/** Assigns ids to the transactions of a slot, and to its facts. @throws Error for a fact of an unlisted transaction */
export function factsOfSlot({ events: { slot, blockTime }, facts }: SlotUpdate): FactsOfSlot {
  const ids = transactionIds(
    slot,
    facts.transactions.map(({ transaction }) => transaction.signature),
  );
  const idOf = (signature: Signature) => {
    const id = ids.get(signature.toString('hex'));
    if (id === undefined) throw new Error(`slot ${slot} has a fact of a transaction that it does not list`);
    return id;
  };
  const identify = <Fact extends { signature: Signature }>(fact: Fact) => ({
    ...fact,
    transactionId: idOf(fact.signature),
  });
  return {
    slot,
    blockTime,
    created: firstOfEach(facts.created).map(identify),
    consumed: firstOfEach(facts.consumed).map(identify),
    transactions: facts.transactions.map((accounts) => ({
      ...accounts,
      transactionId: idOf(accounts.transaction.signature),
    })),
  };
}

function firstOfEach<Fact extends { hash: Hash }>(facts: readonly Fact[]): Fact[] {
  const byHash = new Map<string, Fact>();
  for (const fact of facts) {
    const key = fact.hash.toString('hex');
    if (!byHash.has(key)) byHash.set(key, fact);
  }
  return [...byHash.values()];
}

/** Runs a statement that returns those of the listed transaction ids whose fact another transaction has stored. */
export async function findOtherIds(
  manager: EntityManager,
  sql: string,
  facts: readonly WithTransactionId<{ hash: Hash }>[],
): Promise<number[]> {
  const rows = await manager.query<{ id: string }[]>(sql, [
    facts.map(({ hash }) => hash),
    facts.map(({ transactionId }) => transactionId),
  ]);
  return rows.map(({ id }) => slotOf(BigInt(id)));
}

/** The slot of a transaction id. */
export function slotOf(transactionId: bigint): number {
  return Number(transactionId / firstTransactionId(1));
}
