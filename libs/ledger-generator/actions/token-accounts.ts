import { type CreatedAccount, type TokenData } from '../facts';
import { withinU64 } from './intent';
import { type Stage } from './stage';

const MAX_INPUTS = 4;

/** A token account with the token data that it certainly has. */
export interface TokenAccount {
  account: CreatedAccount;
  token: TokenData;
}

/** A live token account whose data suit, null when none was found. */
export function drawTokenAccount(stage: Stage, suits: (token: TokenData) => boolean): TokenAccount | null {
  const account = stage.draw(stage.chain.tokenAccounts, ({ token }) => token !== null && suits(token));
  return account?.token ? { account, token: account.token } : null;
}

/** Free accounts of one holder and mint: not frozen, not delegated. */
export function drawHolding(stage: Stage): TokenAccount[] | null {
  const first = drawTokenAccount(stage, isFree);
  if (!first) return null;
  const { mint, owner } = first.token;
  const found = stage.drawWith(
    stage.chain.tokenAccounts,
    first.account,
    stage.random.below(MAX_INPUTS),
    ({ token }) => token !== null && isFree(token) && token.mint.equals(mint) && token.owner.equals(owner),
  );
  const summable = withinU64(found, ({ lamports }) => lamports);
  return summable.flatMap((account) => (account.token ? [{ account, token: account.token }] : []));
}

function isFree({ isFrozen, delegate }: TokenData): boolean {
  return !isFrozen && delegate === null;
}
