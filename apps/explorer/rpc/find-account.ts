import { type AccountV2, RpcError, type SignatureItem, type TokenData } from '@fresnel/client';
import { getAccount, getAccountSignatures, getTransaction, type TransactionResult } from './methods';

const INTERNAL_ERROR = -32603;

export interface FoundAccount {
  account: AccountV2;
  token: TokenData | null;
  createdBy: SignatureItem;
  spentBy: SignatureItem | null;
}

interface Transaction {
  item: SignatureItem;
  found: TransactionResult | null;
}

/**
 * Finds an account by its hash, or the open account at an address. Token data and what was spent are in the transactions
 * of the account.
 */
export async function findAccount(key: string): Promise<FoundAccount | null> {
  const items = await getAccountSignatures(key);
  if (items.length > 0) return findByHash(key, items);
  const atAddress = await getAccount({ address: key });
  return atAddress && findByHash(atAddress.hash, await getAccountSignatures(atAddress.hash));
}

/** @param items the transactions that created and spent it, newest first; in one slot, either may be the first */
async function findByHash(hash: string, items: readonly SignatureItem[]): Promise<FoundAccount | null> {
  const [current, ...transactions] = await Promise.all([
    getAccount({ hash }),
    ...items.map(async (item): Promise<Transaction> => ({ item, found: await findTransaction(item.signature) })),
  ]);
  const opening = transactions.find(({ found }) => openedIn(found, hash)) ?? transactions.at(-1);
  if (!opening) return null;
  const spending = transactions.find((transaction) => transaction !== opening) ?? opening;
  const entry = openedIn(opening.found, hash) ?? closedIn(spending.found, hash);
  const account = current ?? entry?.account;
  if (!account) return null;
  const token = entry?.optionalTokenData ?? null;
  return { account, token, createdBy: opening.item, spentBy: current ? null : spending.item };
}

function openedIn(found: TransactionResult | null, hash: string) {
  return found?.compressionInfo.openedAccounts.find(({ account }) => account.hash === hash);
}

function closedIn(found: TransactionResult | null, hash: string) {
  const closed = found?.compressionInfo.closedAccounts.find(({ account }) => account.account.hash === hash);
  return closed && { account: closed.account.account, optionalTokenData: closed.optionalTokenData };
}

/** Null also if the index has the accounts of a transaction, but nobody has its bytes: the account is then shown without token data. */
async function findTransaction(signature: string): Promise<TransactionResult | null> {
  try {
    return await getTransaction(signature);
  } catch (error) {
    if (error instanceof RpcError && error.code === INTERNAL_ERROR) return null;
    throw error;
  }
}
