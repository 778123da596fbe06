import { parseHash } from '@fresnel/domain/primitives';
import { type AccountAnswer, type AccountV2Answer, type Answer } from './answers';
import { type AccountRecord, type LedgerRecords } from './ledger-records';
import { presentAccount, presentAccountV2 } from './present-account';

/** Selects an account by hash or by address, in base58. */
export type AccountQuery = { hash: string } | { address: string };

/** The selected account if it is live, else null. */
export function answerAccount(records: LedgerRecords, query: AccountQuery): Answer<AccountAnswer | null> {
  const record = findLive(records, query);
  return { context: { slot: records.slot }, value: record && presentAccount(record.account) };
}

/** The selected account in the V2 shape if it is live, else null. */
export function answerAccountV2(records: LedgerRecords, query: AccountQuery): Answer<AccountV2Answer | null> {
  const record = findLive(records, query);
  return { context: { slot: records.slot }, value: record && presentAccountV2(record.account, record.isQueued) };
}

/** Null for consumed accounts, and for accounts whose data could not be parsed. */
function findLive(records: LedgerRecords, query: AccountQuery): AccountRecord | null {
  const record = 'hash' in query ? records.accountOf(parseHash(query.hash)) : findByAddress(records, query.address);
  return record?.account.isReadable && record.consumption === null ? record : null;
}

function findByAddress(records: LedgerRecords, text: string): AccountRecord | null {
  const address = parseHash(text);
  const isLiveAtAddress = ({ account, consumption }: AccountRecord) => !consumption && account.address?.equals(address);
  return records.readableAccounts().find(isLiveAtAddress) ?? null;
}
