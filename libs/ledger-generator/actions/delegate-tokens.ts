import { amountUpTo } from './amounts';
import { type TransitionPlan, sumOf, stateTreePicker } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { drawHolding, drawTokenAccount } from './token-accounts';
import { plainToken, tokenOutput } from './token-output';
import { tokenPlan } from './transfer-tokens';

/** Plans a delegation: the delegated part of the tokens gets an account of its own. */
export function planDelegation(context: GenerationContext): TransitionPlan | null {
  const holding = drawHolding(context);
  if (!holding) return null;
  const { mint, owner } = holding[0].token;
  const total = sumOf(holding.map(({ token }) => token.amount));
  const delegated = amountUpTo(total, context.random);
  const lamports = sumOf(holding.map(({ account }) => account.lamports));
  const nextTree = stateTreePicker(context);
  const token = { ...plainToken(mint, owner, delegated), delegate: context.actors.pickWallet() };
  const rest = total > delegated ? [tokenOutput(context, nextTree(), plainToken(mint, owner, total - delegated))] : [];
  return tokenPlan(holding, [tokenOutput(context, nextTree(), token, lamports), ...rest], owner);
}

/** Plans the revocation of a delegation. */
export function planRevocation(context: GenerationContext): TransitionPlan | null {
  const drawn = drawTokenAccount(context, ({ delegate, isFrozen }) => delegate !== null && !isFrozen);
  if (!drawn) return null;
  const { token, account } = drawn;
  const output = tokenOutput(context, stateTreePicker(context)(), { ...token, delegate: null }, account.lamports);
  return tokenPlan([drawn], [output], token.owner);
}
