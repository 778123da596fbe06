import { type TransitionPlan } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { drawTokenAccount } from './token-accounts';
import { tokenOutput } from './token-output';
import { tokenPlan } from './transfer-tokens';

const DELEGATED_SHARE = 0.4;

/** Plans the freezing of a token account by the mint's freeze authority. */
export function planFreeze(context: GenerationContext): TransitionPlan | null {
  return planFrozenState(context, true);
}

/** Plans the thawing of a frozen token account. */
export function planThaw(context: GenerationContext): TransitionPlan | null {
  return planFrozenState(context, false);
}

/** The new account is in the same tree and keeps its delegate. */
function planFrozenState(context: GenerationContext, isFrozen: boolean): TransitionPlan | null {
  const needsDelegate = context.random.chance(DELEGATED_SHARE);
  const drawn = drawTokenAccount(
    context,
    (token) => token.isFrozen !== isFrozen && (token.delegate !== null || !needsDelegate),
  );
  if (!drawn) return null;
  const { token, account } = drawn;
  const tree = context.chain.treeOf(context.chain.stateTrees, account.tree.tree);
  return tokenPlan(
    [drawn],
    [tokenOutput(context, tree, { ...token, isFrozen }, account.lamports)],
    context.actors.pickWallet(),
  );
}
