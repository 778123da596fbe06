import { type Hash, parseHash } from '@fresnel/domain/primitives';
import { type AccountAnswer, type AccountV2Answer, type Answer } from './answers';
import { type AccountRecord, type LedgerRecords } from './ledger-records';
import { presentAccount, presentAccountV2 } from './present-account';

/** Selects an account by hash or by address, in base58. */
export type AccountQuery = { hash: string } | { address: string };

/** Selects accounts by hash or by address, in base58. */
export type AccountKeys = { hashes: readonly string[] } | { addresses: readonly string[] };

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
export function findLive(records: LedgerRecords, query: AccountQuery): AccountRecord | null {
  return 'hash' in query
    ? findLiveByHash(records, parseHash(query.hash))
    : findByAddress(records, parseHash(query.address));
}

export function findLiveByHash(records: LedgerRecords, hash: Hash): AccountRecord | null {
  const record = records.accountOf(hash);
  return record?.account.isReadable && record.consumption === null ? record : null;
}

export function findByAddress(records: LedgerRecords, address: Hash): AccountRecord | null {
  return records.liveAccounts().find(({ account }) => account.address?.equals(address)) ?? null;
}
