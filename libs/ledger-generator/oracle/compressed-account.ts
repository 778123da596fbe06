import { parseHash } from '@fresnel/domain/primitives';
import { type AccountAnswer, type AccountV2Answer, type Answer } from './answers';
import { type AccountRecord, type LedgerRecords } from './ledger-records';
import { presentAccount, presentAccountV2 } from './present-account';

/** Names an account. Base58. */
export type AccountQuestion = { hash: string } | { address: string };

/** The live account that the question names. */
export function answerAccount(records: LedgerRecords, question: AccountQuestion): Answer<AccountAnswer | null> {
  const record = findLive(records, question);
  return { context: { slot: records.slot }, value: record && presentAccount(record.account) };
}

/** The same in the form that tells tree and queue together. */
export function answerAccountV2(records: LedgerRecords, question: AccountQuestion): Answer<AccountV2Answer | null> {
  const record = findLive(records, question);
  return { context: { slot: records.slot }, value: record && presentAccountV2(record.account, record.isQueued) };
}

/** Consumed accounts are not found any more, unreadable ones never. */
function findLive(records: LedgerRecords, question: AccountQuestion): AccountRecord | null {
  const record = 'hash' in question ? records.accountOf(parseHash(question.hash)) : findAt(records, question.address);
  return record?.account.isReadable && record.consumption === null ? record : null;
}

function findAt(records: LedgerRecords, text: string): AccountRecord | null {
  const address = parseHash(text);
  const isAt = ({ account, consumption }: AccountRecord) => !consumption && account.address?.equals(address);
  return records.readableAccounts().find(isAt) ?? null;
}
