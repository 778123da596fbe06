import { parseHash, parsePubkey } from '@fresnel/domain/primitives';
import { type CreatedAccount, type TokenData } from '../facts';
import { type Answer, type Page, type PageRequest, type TokenAccountAnswer } from './answers';
import { takeAscendingPage } from './ascending-page';
import { type AccountKeys, findByAddress, findLiveByHash } from './compressed-account';
import { type AccountRecord, type LedgerRecords } from './ledger-records';
import { presentTokenData } from './present-account';

/** Converts an account to the shape of a method. */
type Present<Account> = (record: AccountRecord) => Account;

/** Accounts whose data have these bytes at this offset. */
export interface DataFilter {
  offset: number;
  bytes: Buffer;
}

/** The live accounts with some hashes or addresses, null for each that is not live. */
export function answerAccounts<Account>(
  records: LedgerRecords,
  keys: AccountKeys,
  present: Present<Account>,
): Answer<{ items: (Account | null)[] }> {
  const found =
    'hashes' in keys
      ? keys.hashes.map((hash) => findLiveByHash(records, parseHash(hash)))
      : keys.addresses.map((address) => findByAddress(records, parseHash(address)));
  return { context: { slot: records.slot }, value: { items: found.map((record) => record && present(record)) } };
}

/** Live accounts of an owner by leaf index, then by hash. */
export function answerOwnerAccounts<Account>(
  records: LedgerRecords,
  ownerText: string,
  filters: readonly DataFilter[],
  request: PageRequest,
  present: Present<Account>,
): Answer<Page<Account>> {
  const owner = parsePubkey(ownerText);
  const owned = records.liveAccounts().filter(({ account }) => account.owner.equals(owner) && fits(account, filters));
  const placed = owned.map((record) => {
    const leafIndex = Buffer.alloc(LEAF_INDEX_BYTES);
    leafIndex.writeBigUInt64BE(BigInt(record.account.leafIndex));
    return { item: record, key: Buffer.concat([leafIndex, record.account.hash]) };
  });
  const { items, cursor } = takeAscendingPage(placed, request, reverseLeafIndex);
  return { context: { slot: records.slot }, value: { items: items.map(present), cursor } };
}

/** Live token accounts of an owner or a delegate by mint, then by hash. @param mintText undefined: of all mints */
export function answerTokenAccounts<Account>(
  records: LedgerRecords,
  by: 'owner' | 'delegate',
  keyText: string,
  mintText: string | undefined,
  request: PageRequest,
  present: Present<Account>,
): Answer<Page<TokenAccountAnswer<Account>>> {
  const key = parsePubkey(keyText);
  const mint = mintText === undefined ? null : parsePubkey(mintText);
  const matches = (token: TokenData) => token[by]?.equals(key) && (!mint || token.mint.equals(mint));
  const placed = records.liveAccounts().flatMap((record) => {
    const { token, hash } = record.account;
    return token && matches(token) ? [{ item: { record, token }, key: Buffer.concat([token.mint, hash]) }] : [];
  });
  const { items, cursor } = takeAscendingPage(placed, request);
  const tokenAccounts = items.map(({ record, token }) => ({
    account: present(record),
    tokenData: presentTokenData(token),
  }));
  return { context: { slot: records.slot }, value: { items: tokenAccounts, cursor } };
}

const LEAF_INDEX_BYTES = 8;

/** Sort keys have big-endian leaf indices, cursors little-endian ones. */
function reverseLeafIndex(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(bytes.subarray(0, LEAF_INDEX_BYTES)).reverse(), bytes.subarray(LEAF_INDEX_BYTES)]);
}

function fits({ data }: CreatedAccount, filters: readonly DataFilter[]): boolean {
  return filters.every(({ offset, bytes }) => data?.bytes.subarray(offset, offset + bytes.length).equals(bytes));
}
