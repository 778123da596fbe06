import { parseHash, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
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

/** Transactions that created or consumed an account of this address. */
export function answerAddressSignatures(
  records: LedgerRecords,
  addressText: string,
  request: PageRequest,
): Answer<Page<SignatureAnswer>> {
  const address = parseHash(addressText);
  return signaturesWhere(records, request, (account) => account.address?.equals(address) ?? false);
}

/** All transactions that involve compression. */
export function answerLatestSignatures(records: LedgerRecords, request: PageRequest): Answer<Page<SignatureAnswer>> {
  const involved = [...records.transactions.values()].filter(({ facts }) => !facts.isFailed && facts.events.length > 0);
  return takeSignatures(records, request, involved);
}

/** The transactions that created and consumed an account. */
export function answerAccountSignatures(
  records: LedgerRecords,
  hashText: string,
): Answer<{ items: SignatureAnswer[] }> {
  const hash = parseHash(hashText);
  const { context, value } = signaturesWhere(records, {}, (account) => account.hash.equals(hash));
  return { context, value: { items: value.items } };
}

function signaturesWhere(
  records: LedgerRecords,
  request: PageRequest,
  matches: (account: CreatedAccount) => boolean,
): Answer<Page<SignatureAnswer>> {
  const matching = [...records.transactions.values()].filter((record) => changedAccounts(record).some(matches));
  return takeSignatures(records, request, matching);
}

function takeSignatures(
  records: LedgerRecords,
  request: PageRequest,
  matching: readonly TransactionRecord[],
): Answer<Page<SignatureAnswer>> {
  const ranked = matching.map((record) => ({
    source: record,
    rank: BigInt(record.slot),
    bytes: record.facts.signature,
  }));
  return { context: { slot: records.slot }, value: takePage(ranked, request, toSignature) };
}

function toSignature({ facts, slot, blockTime }: TransactionRecord): SignatureAnswer {
  return { signature: toBase58(facts.signature), slot, blockTime };
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
