import { type Hash, keyOf, parseSignature, toBase58 } from '@fresnel/domain/primitives';
import { type TransitionFacts } from '../facts';
import { writeMembers } from '../transaction/json';
import {
  type AccountAnswer,
  type AccountV2Answer,
  type ClosedAccountV2Answer,
  type CompressionInfo,
  type TokenBalanceAnswer,
  type AccountWithTokenData,
  type TransactionAnswer,
} from './answers';
import { type AccountRecord, type LedgerRecords, type TransactionRecord } from './ledger-records';
import { presentAccount, presentAccountV2, presentClosedAccountV2, presentTokenData } from './present-account';

/** The transaction with its compression info; null if it is unknown, failed, or does not involve compression. */
export function answerTransaction(
  records: LedgerRecords,
  signature: string,
): TransactionAnswer<AccountAnswer, AccountAnswer> | null {
  return answer(records, signature, {
    closed: ({ account }) => presentAccount(account),
    opened: ({ created }) => presentAccount(created),
  });
}

/** The same with accounts in the V2 shape: opened accounts as they were created, closed accounts in their current state. */
export function answerTransactionV2(
  records: LedgerRecords,
  signature: string,
): TransactionAnswer<ClosedAccountV2Answer, AccountV2Answer> | null {
  return answer(records, signature, {
    closed: presentClosedAccountV2,
    opened: ({ created }) => presentAccountV2(created, created.tree.type === 'stateV2'),
  });
}

interface Presenters<Closed, Opened> {
  closed: (record: AccountRecord) => Closed;
  opened: (record: AccountRecord) => Opened;
}

function answer<Closed, Opened>(
  records: LedgerRecords,
  signature: string,
  present: Presenters<Closed, Opened>,
): TransactionAnswer<Closed, Opened> | null {
  const transaction = records.transactionOf(parseSignature(signature));
  if (!transaction || transaction.facts.events.length === 0) return null;
  const { closed, opened } = accountsOf(records, transaction);
  const compressionInfo: CompressionInfo<Closed, Opened> = {
    closedAccounts: closed.map((record) => withTokenData(record, present.closed)),
    openedAccounts: opened.map((record) => withTokenData(record, present.opened)),
  };
  const [before, after] = [sumBalances(closed), sumBalances(opened)];
  if (before.length > 0) compressionInfo.preTokenBalances = before;
  if (after.length > 0) compressionInfo.postTokenBalances = after;
  return { transaction: textOf(transaction), compressionInfo };
}

/** Inputs and outputs in the order of the events. */
function accountsOf(records: LedgerRecords, { facts }: TransactionRecord) {
  const transitions = facts.events.filter((event): event is TransitionFacts => event.kind === 'transition');
  const readable = (hash: Hash) => {
    const record = records.accountOf(hash);
    return record?.account.isReadable ? [record] : [];
  };
  return {
    closed: transitions.flatMap(({ inputs }) => inputs.flatMap(({ account }) => readable(account.hash))),
    opened: transitions.flatMap(({ outputs }) => outputs.flatMap(({ hash }) => readable(hash))),
  };
}

function withTokenData<Account>(
  record: AccountRecord,
  present: (record: AccountRecord) => Account,
): AccountWithTokenData<Account> {
  const { token } = record.account;
  return { account: present(record), optionalTokenData: token && presentTokenData(token) };
}

/** One sum for each holder and mint, in the order of first occurrence. */
function sumBalances(records: readonly AccountRecord[]): TokenBalanceAnswer[] {
  const sums = new Map<string, TokenBalanceAnswer>();
  for (const { account } of records) {
    if (!account.token) continue;
    const { owner, mint, amount } = account.token;
    const key = keyOf(owner) + keyOf(mint);
    const sum = sums.get(key)?.amount ?? 0n;
    sums.set(key, { owner: toBase58(owner), mint: toBase58(mint), amount: sum + amount });
  }
  return [...sums.values()];
}

function textOf({ facts, slot, blockTime }: TransactionRecord): string {
  return `{${writeMembers({ slot })},${facts.members},${writeMembers({ blockTime })}}`;
}
