import { parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { type CreatedAccount, type TransitionFacts } from '../facts';
import { type Answer, type Page, type PageRequest, type SignatureAnswer } from './answers';
import { type LedgerRecords, type TransactionRecord } from './ledger-records';
import { takePage } from './paging';

/** Transactions that created or consumed an account of this owner. */
export function answerOwnerSignatures(
  records: LedgerRecords,
  ownerText: string,
  request: PageRequest,
): Answer<Page<SignatureAnswer>> {
  const owner = parsePubkey(ownerText);
  return signaturesWhere(records, request, (account) => account.owner.equals(owner));
}

/** Transactions that created or consumed a token account of this token owner. */
export function answerTokenOwnerSignatures(
  records: LedgerRecords,
  ownerText: string,
  request: PageRequest,
): Answer<Page<SignatureAnswer>> {
  const owner = parsePubkey(ownerText);
  return signaturesWhere(records, request, ({ token }) => token?.owner.equals(owner) ?? false);
}

function signaturesWhere(
  records: LedgerRecords,
  request: PageRequest,
  matches: (account: CreatedAccount) => boolean,
): Answer<Page<SignatureAnswer>> {
  const matching = [...records.transactions.values()].filter((record) => changedAccounts(record).some(matches));
  const ranked = matching.map((record) => ({
    source: record,
    rank: BigInt(record.slot),
    bytes: record.facts.signature,
  }));
  const page = takePage(ranked, request, ({ facts, slot, blockTime }) => ({
    signature: toBase58(facts.signature),
    slot,
    blockTime,
  }));
  return { context: { slot: records.slot }, value: page };
}

/** Records do not change, and every page of every owner needs their accounts. */
const accountsByRecord = new WeakMap<TransactionRecord, CreatedAccount[]>();

function changedAccounts(record: TransactionRecord): CreatedAccount[] {
  const known = accountsByRecord.get(record) ?? listChangedAccounts(record);
  accountsByRecord.set(record, known);
  return known;
}

function listChangedAccounts({ facts }: TransactionRecord): CreatedAccount[] {
  const transitions = facts.events.filter((event): event is TransitionFacts => event.kind === 'transition');
  const accounts = transitions.flatMap(({ inputs, outputs }) => [...inputs.map(({ account }) => account), ...outputs]);
  return accounts.filter(({ isReadable }) => isReadable);
}
