import { toBase58 } from '@fresnel/domain/primitives';
import { genesisOf } from '@fresnel/domain/trees';
import { type ActionName } from '../actions/catalog';
import { type AddressTree } from '../trees/address-tree';
import { type AddressQuestion } from './address-proofs';
import { type LedgerRecords, type TransactionRecord } from './ledger-records';

/** A transaction to ask for. */
export interface KnownSignature {
  signature: string;
  slot: number;
  action: ActionName;
  /** `compression`: there is an answer. The other two: null is the answer. */
  result: 'compression' | 'unrelated' | 'failed';
}

/** In block order. */
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

/** Addresses that are in their trees; those that a tree begins with are left out. */
export function listInsertedAddresses({ addressTrees }: LedgerRecords): AddressQuestion[] {
  return addressTrees.flatMap((tree) => {
    const genesis = genesisOf(tree.info.type).elements;
    const inserted = tree.values().filter((value) => !genesis.some((element) => element.value.equals(value)));
    return inserted.map((address) => questionOf(tree, address));
  });
}

/** Addresses that wait for their trees. Those of V2 trees are refused already, those of V1 trees cannot be known. */
export function listWaitingAddresses({ addressTrees }: LedgerRecords): AddressQuestion[] {
  return addressTrees.flatMap((tree) => tree.queue.map((address) => questionOf(tree, address)));
}

/** Every different key once, in the order of first mention. */
export function listDistinct(keys: Iterable<Buffer | null | undefined>): string[] {
  const texts = new Set<string>();
  for (const key of keys) if (key) texts.add(toBase58(key));
  return [...texts];
}

function questionOf({ info }: AddressTree, address: Buffer): AddressQuestion {
  return { address: toBase58(address), tree: toBase58(info.tree) };
}
