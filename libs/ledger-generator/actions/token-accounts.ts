import { type CreatedAccount, type TokenData } from '../facts';
import { limitToU64 } from './transition-plan';
import { type GenerationContext } from './generation-context';

const MAX_INPUTS = 4;

/** A token account with its token data. */
export interface TokenAccount {
  account: CreatedAccount;
  token: TokenData;
}

/** A random live token account whose token data match; null when there is none. */
export function drawTokenAccount(
  context: GenerationContext,
  matches: (token: TokenData) => boolean,
): TokenAccount | null {
  const account = context.drawAccount(context.chain.tokenAccounts, ({ token }) => token !== null && matches(token));
  return account?.token ? { account, token: account.token } : null;
}

/** Accounts of one holder and mint that the holder can spend: not frozen, not delegated. */
export function drawHolding(context: GenerationContext): TokenAccount[] | null {
  const first = drawTokenAccount(context, isSpendable);
  if (!first) return null;
  const { mint, owner } = first.token;
  const found = context.drawAccounts(
    context.chain.tokenAccounts,
    first.account,
    context.random.below(MAX_INPUTS),
    ({ token }) => token !== null && isSpendable(token) && token.mint.equals(mint) && token.owner.equals(owner),
  );
  const summable = limitToU64(found, ({ lamports }) => lamports);
  return summable.flatMap((account) => (account.token ? [{ account, token: account.token }] : []));
}

function isSpendable({ isFrozen, delegate }: TokenData): boolean {
  return !isFrozen && delegate === null;
}
