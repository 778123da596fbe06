import { keyOf, parsePubkey, type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { type Answer, type HolderAnswer, type Page, type PageRequest } from './answers';
import { type LedgerRecords } from './ledger-records';
import { takePage } from './paging';

/** Owners with the sum of their live token accounts of the mint, including frozen ones. Sums of 0 are omitted. */
export function answerHolders(
  records: LedgerRecords,
  mintText: string,
  request: PageRequest,
): Answer<Page<HolderAnswer>> {
  const holders = [...sumHoldings(records, parsePubkey(mintText)).values()].filter(({ balance }) => balance > 0n);
  const ranked = holders.map((holder) => ({ source: holder, rank: holder.balance, bytes: holder.owner }));
  const page = takePage(ranked, request, ({ owner, balance }) => ({ owner: toBase58(owner), balance }));
  return { context: { slot: records.slot }, value: page };
}

function sumHoldings(records: LedgerRecords, mint: Pubkey): Map<string, { owner: Pubkey; balance: bigint }> {
  const holdings = new Map<string, { owner: Pubkey; balance: bigint }>();
  for (const { account, consumption } of records.readableAccounts()) {
    if (consumption || !account.token?.mint.equals(mint)) continue;
    const { owner, amount } = account.token;
    const balance = (holdings.get(keyOf(owner))?.balance ?? 0n) + amount;
    holdings.set(keyOf(owner), { owner, balance });
  }
  return holdings;
}
