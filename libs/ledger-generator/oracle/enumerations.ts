import { toBase58 } from '@fresnel/domain/primitives';
import { initialStateOf } from '@fresnel/domain/trees';
import { type ActionName } from '../actions/action-name';
import { type AddressTree } from '../trees/address-tree';
import { type AddressWithTree } from './address-proofs';
import { type LedgerRecords, type TransactionRecord } from './ledger-records';

/** A transaction of the ledger. */
export interface KnownSignature {
  signature: string;
  slot: number;
  action: ActionName;
  /** `compression`: methods return the transaction. `unrelated` and `failed`: methods return null. */
  result: 'compression' | 'unrelated' | 'failed';
}

/** All transactions in block order. */
export function listSignatures({ transactions }: LedgerRecords): KnownSignature[] {
  return Array.from(transactions.values(), (record) => ({
    signature: toBase58(record.facts.signature),
    slot: record.slot,
    action: record.facts.action,
    result: resultOf(record),
  }));
}

function resultOf({ facts }: TransactionRecord): KnownSignature['result'] {
  if (facts.isFailed) return 'failed';
  return facts.events.length > 0 ? 'compression' : 'unrelated';
}

/** Addresses in their trees, without the initial elements. */
export function listInsertedAddresses({ addressTrees }: LedgerRecords): AddressWithTree[] {
  return addressTrees.flatMap((tree) => {
    const initial = initialStateOf(tree.info.type).elements;
    const inserted = tree.values().filter((value) => !initial.some((element) => element.value.equals(value)));
    return inserted.map((address) => addressWithTree(tree, address));
  });
}

/** Addresses in the queues of their trees. */
export function listQueuedAddresses({ addressTrees }: LedgerRecords): AddressWithTree[] {
  return addressTrees.flatMap((tree) => tree.queue.map((address) => addressWithTree(tree, address)));
}

/** The distinct keys in base58, in the order of first occurrence. */
export function listDistinct(keys: Iterable<Buffer | null | undefined>): string[] {
  const texts = new Set<string>();
  for (const key of keys) if (key) texts.add(toBase58(key));
  return [...texts];
}

function addressWithTree({ info }: AddressTree, address: Buffer): AddressWithTree {
  return { address: toBase58(address), tree: toBase58(info.tree) };
}
