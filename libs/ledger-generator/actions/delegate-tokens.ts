import { amountUpTo } from './amounts';
import { type Intent, sumOf, treeChooser } from './intent';
import { type Stage } from './stage';
import { drawHolding, drawTokenAccount } from './token-accounts';
import { plainToken, tokenOutput } from './token-output';
import { tokenIntent } from './transfer-tokens';

/** A holder lets somebody spend a part; what is delegated stands in an account of its own. */
export function intendDelegation(stage: Stage): Intent | null {
  const holding = drawHolding(stage);
  if (!holding) return null;
  const { mint, owner } = holding[0].token;
  const total = sumOf(holding.map(({ token }) => token.amount));
  const delegated = amountUpTo(total, stage.random);
  const lamports = sumOf(holding.map(({ account }) => account.lamports));
  const nextTree = treeChooser(stage);
  const token = { ...plainToken(mint, owner, delegated), delegate: stage.cast.wallet() };
  const rest = total > delegated ? [tokenOutput(stage, nextTree(), plainToken(mint, owner, total - delegated))] : [];
  return tokenIntent(holding, [tokenOutput(stage, nextTree(), token, lamports), ...rest], owner);
}

/** A holder takes the right back. */
export function intendRevocation(stage: Stage): Intent | null {
  const drawn = drawTokenAccount(stage, ({ delegate, isFrozen }) => delegate !== null && !isFrozen);
  if (!drawn) return null;
  const { token, account } = drawn;
  const output = tokenOutput(stage, treeChooser(stage)(), { ...token, delegate: null }, account.lamports);
  return tokenIntent([drawn], [output], token.owner);
}
