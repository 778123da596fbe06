import { type AccountV2, type CompressionInfoV2, RpcClient, type TokenData } from '@fresnel/client';

/** A view of something that an index has, and what it must show. */
export interface ChainView {
  /** The first view of each kind is enough. */
  kind: string;
  link: string;
  texts: (string | RegExp)[];
}

const MAX_TRANSACTIONS = 1_000;

interface Entry {
  account: AccountV2;
  token: TokenData | null;
}

/**
 * Lists one view of each kind that an index has: transactions, accounts, owners, mints, trees and slots. What the views must
 * show follows from the transactions alone.
 *
 * @param trees further keys that may be of trees
 */
export async function listChainViews(url: string, trees: readonly string[]): Promise<ChainView[]> {
  const rpc = new RpcClient(url);
  const views = new Map<string, ChainView>();
  const add = (kind: string, link: string, ...texts: ChainView['texts']) => {
    if (!views.has(kind)) views.set(kind, { kind, link, texts });
  };
  const { value } = await rpc.call('getLatestCompressionSignatures', { limit: MAX_TRANSACTIONS });
  const opened = new Map<string, Entry & { signature: string }>();
  const closed = new Map<string, string>();
  for (const { signature, slot } of value.items) {
    const found = await rpc.call('getTransactionWithCompressionInfoV2', { signature });
    if (!found) throw new Error(`the index lists ${signature}, and does not have it`);
    const info = found.compressionInfo;
    for (const { account } of info.closedAccounts) closed.set(account.account.hash, signature);
    for (const { account, optionalTokenData } of info.openedAccounts) {
      opened.set(account.hash, { account, token: optionalTokenData, signature });
    }
    addTransaction(add, signature, info);
    add('slot', `#/slot/${slot}`, shorten(signature));
  }
  for (const [hash, { account, token, signature }] of opened) {
    const spentBy = closed.get(hash);
    const kind = [
      spentBy === undefined ? 'open' : 'spent',
      token ? `${token.state} tokens` : 'no tokens',
      account.address === null ? 'no address' : 'an address',
      account.data === null ? 'no data' : 'data',
      `tree of type ${account.merkleContext.treeType}`,
    ].join(', ');
    const state = spentBy === undefined ? /State\s*open/ : `spent by ${shorten(spentBy)}`;
    const amount = token ? [`${token.amount.toLocaleString('en-US')} (in the smallest unit)`] : [];
    add(`account: ${kind}`, `#/account/${hash}`, hash, state, `by ${shorten(signature)} in slot`, ...amount);
    addOthers(add, { account, token });
  }
  for (const tree of new Set([...[...opened.values()].map(({ account }) => account.merkleContext.tree), ...trees])) {
    const { value: status } = await rpc.call('getTreeStatus', { tree });
    if (!status) continue;
    const reason = status.reason === null ? /Proofs are served\s*yes/ : status.reason;
    add(`tree of type ${status.type}, served: ${status.served}`, `#/tree/${tree}`, status.root, reason);
  }
  return [...views.values()];
}

type Add = (kind: string, link: string, ...texts: ChainView['texts']) => void;

function addTransaction(add: Add, signature: string, { closedAccounts, openedAccounts }: CompressionInfoV2): void {
  const has = {
    closed: closedAccounts.length > 0,
    opened: openedAccounts.length > 0,
    tokens: openedAccounts.some(({ optionalTokenData }) => optionalTokenData !== null),
  };
  const counts = [`Closed (${closedAccounts.length})`, `Opened (${openedAccounts.length})`];
  const ofForester = ['changed trees or queues only', /(state|address) tree, V[12]/];
  add(`transaction: ${JSON.stringify(has)}`, `#/tx/${signature}`, ...(has.closed || has.opened ? counts : ofForester));
}

function addOthers(add: Add, { account, token }: Entry): void {
  add(`owner of ${token ? 'token ' : ''}accounts`, `#/owner/${account.owner}`, account.owner);
  if (account.address !== null) {
    add('an address', `#/account/${account.address}`, /Transactions of its address|no open account at this address/);
  }
  if (!token) return;
  add('owner of tokens', `#/owner/${token.owner}`, token.owner, 'Transactions of its token accounts');
  add('mint', `#/mint/${token.mint}`, token.mint, 'Holders of compressed tokens');
}

function shorten(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-6)}`;
}
