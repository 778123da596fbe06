import { keyOf, parsePubkey, type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { type Answer, type MintBalanceAnswer, type Page, type PageRequest } from './answers';
import { takeAscendingPage } from './ascending-page';
import { type AccountQuery, findLive } from './compressed-account';
import { type LedgerRecords } from './ledger-records';

/** Lamports of the selected account, 0 if it is not live. */
export function answerAccountBalance(records: LedgerRecords, query: AccountQuery): Answer<bigint> {
  return { context: { slot: records.slot }, value: findLive(records, query)?.account.lamports ?? 0n };
}

/** Tokens of the selected account, 0 if it is not live or has none. */
export function answerTokenAccountBalance(records: LedgerRecords, query: AccountQuery): Answer<{ amount: bigint }> {
  const amount = findLive(records, query)?.account.token?.amount ?? 0n;
  return { context: { slot: records.slot }, value: { amount } };
}

/** Sum of the lamports of an owner's live accounts. */
export function answerOwnerBalance(records: LedgerRecords, ownerText: string): Answer<bigint> {
  const owner = parsePubkey(ownerText);
  const owned = records.liveAccounts().filter(({ account }) => account.owner.equals(owner));
  return { context: { slot: records.slot }, value: owned.reduce((sum, { account }) => sum + account.lamports, 0n) };
}

/** Sums of an owner's live token accounts by mint. Sums of 0 are omitted. @param mintText undefined: of all mints */
export function answerTokenBalances(
  records: LedgerRecords,
  ownerText: string,
  mintText: string | undefined,
  request: PageRequest,
): Answer<Page<MintBalanceAnswer>> {
  const balances = [...sumByMint(records, parsePubkey(ownerText)).values()].filter(({ balance }) => balance > 0n);
  const placed = balances.map(({ mint, balance }) => ({ item: { mint: toBase58(mint), balance }, key: mint }));
  const ofMint = placed.filter(({ item }) => mintText === undefined || item.mint === mintText);
  return { context: { slot: records.slot }, value: takeAscendingPage(ofMint, request) };
}

function sumByMint(records: LedgerRecords, owner: Pubkey): Map<string, { mint: Pubkey; balance: bigint }> {
  const balances = new Map<string, { mint: Pubkey; balance: bigint }>();
  for (const { account } of records.liveAccounts()) {
    if (!account.token?.owner.equals(owner)) continue;
    const { mint, amount } = account.token;
    balances.set(keyOf(mint), { mint, balance: (balances.get(keyOf(mint))?.balance ?? 0n) + amount });
  }
  return balances;
}
