import { asFields, asList, asNumber, asText } from '@fresnel/domain/primitives';
import { type Asked } from './compare-answers';
import { type CheckKind } from './verification';

/** A call that is sent to both indexes. */
export interface Question {
  kind: CheckKind;
  method: string;
  params: Record<string, string>;
}

/** What of an account leads to other questions. */
export interface Subject {
  hash: string;
  owner: string;
  address: string | null;
  token: { owner: string; mint: string; delegate: string | null } | null;
}

/** Questions about an account, its owners, its address and its mint. The same question may follow from several accounts. */
export function questionsAbout({ hash, owner, address, token }: Subject): Question[] {
  const questions: Question[] = [
    { kind: 'accounts', method: 'getCompressedAccountV2', params: { hash } },
    { kind: 'signatures', method: 'getCompressionSignaturesForAccount', params: { hash } },
    { kind: 'lists', method: 'getCompressedAccountsByOwnerV2', params: { owner } },
    { kind: 'balances', method: 'getCompressedBalanceByOwner', params: { owner } },
    { kind: 'signatures', method: 'getCompressionSignaturesForOwner', params: { owner } },
  ];
  if (address !== null) {
    questions.push(
      { kind: 'accounts', method: 'getCompressedAccountV2', params: { address } },
      { kind: 'signatures', method: 'getCompressionSignaturesForAddress', params: { address } },
    );
  }
  if (!token) return questions;
  const { owner: tokenOwner, mint, delegate } = token;
  questions.push(
    { kind: 'lists', method: 'getCompressedTokenAccountsByOwnerV2', params: { owner: tokenOwner } },
    { kind: 'balances', method: 'getCompressedTokenBalancesByOwnerV2', params: { owner: tokenOwner } },
    { kind: 'signatures', method: 'getCompressionSignaturesForTokenOwner', params: { owner: tokenOwner } },
    { kind: 'balances', method: 'getCompressedMintTokenHolders', params: { mint } },
  );
  if (delegate !== null) {
    questions.push({ kind: 'lists', method: 'getCompressedTokenAccountsByDelegateV2', params: { delegate } });
  }
  return questions;
}

/** Items of a page without `limit`. */
const FULL_PAGE = 1_000;

/**
 * Brings the result of a question into the form in which results are compared. Instead of a cursor, which every indexer writes in its
 * own form, it says whether there is another page. It is without zero balances, which Photon lists and Fresnel does not.
 */
export function toAsked({ method }: Question, result: unknown): Asked {
  const { context, value } = asFields(result);
  const slot = asNumber(asFields(context).slot);
  if (typeof value !== 'object' || value === null || !('items' in value)) return { slot, value };
  const { items: all, cursor } = asFields(value);
  const next = cursor === null || cursor === undefined ? null : asText(cursor);
  const listed = asList(all);
  if (!WITH_BALANCES.has(method)) return { slot, next, value: { items: listed, hasMore: next !== null } };
  const items = listed.filter(hasBalance);
  if (items.length === listed.length) return { slot, next, value: { items, hasMore: next !== null } };
  // The largest holders come first: only zeros follow a zero.
  const isLast = method === 'getCompressedMintTokenHolders' || listed.length < FULL_PAGE;
  return isLast
    ? { slot, next: null, value: { items, hasMore: false } }
    : { failure: 'a full page, which zero balances have cut at another place' };
}

const WITH_BALANCES = new Set(['getCompressedMintTokenHolders', 'getCompressedTokenBalancesByOwnerV2']);

function hasBalance(item: unknown): boolean {
  const { balance } = asFields(item);
  return balance !== 0;
}

/** Accounts of a transaction, in the order of their hashes: Photon has no order for closed ones. */
export interface TransactionAccounts {
  /** Each account that it closed or opened. */
  subjects: Subject[];
  /** The opened accounts as they are in the answer. */
  opened: Record<string, unknown>[];
  /** In the form in which results are compared. */
  value: unknown;
}

/**
 * Reads the accounts of a result of `getTransactionWithCompressionInfoV2`. What the node says about the transaction is not compared,
 * nor is what of a closed account may change later.
 *
 * @returns null for the result null
 * @throws MalformedTextError
 */
export function readTransaction(result: unknown): TransactionAccounts | null {
  if (result === null) return null;
  const { compressionInfo } = asFields(result);
  const { closedAccounts, openedAccounts } = asFields(compressionInfo);
  const closed = asList(closedAccounts).map((entry) => {
    const { account: spent, optionalTokenData } = asFields(entry);
    const { account, ...spend } = asFields(spent);
    const fields = { ...asFields(account) };
    delete fields.proveByIndex;
    return { account: fields, spend, optionalTokenData };
  });
  const opened = asList(openedAccounts).map((entry) => {
    const { account, optionalTokenData } = asFields(entry);
    return { account: asFields(account), optionalTokenData };
  });
  return {
    subjects: [...closed, ...opened].map(toSubject),
    opened: opened.map(({ account }) => account),
    value: { closedAccounts: byHash(closed), openedAccounts: byHash(opened) },
  };
}

interface Entry {
  account: Record<string, unknown>;
  optionalTokenData: unknown;
}

function byHash<Each extends Entry>(entries: readonly Each[]): Each[] {
  const hashOf = ({ account }: Each) => asText(account.hash);
  return [...entries].sort((one, next) => (hashOf(one) < hashOf(next) ? -1 : 1));
}

function toSubject({ account, optionalTokenData }: Entry): Subject {
  const textOrNull = (value: unknown) => (value === null || value === undefined ? null : asText(value));
  const token = optionalTokenData === null || optionalTokenData === undefined ? null : asFields(optionalTokenData);
  return {
    hash: asText(account.hash),
    owner: asText(account.owner),
    address: textOrNull(account.address),
    token: token && {
      owner: asText(token.owner),
      mint: asText(token.mint),
      delegate: textOrNull(token.delegate),
    },
  };
}
