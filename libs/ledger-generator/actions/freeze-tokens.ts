import { type Intent } from './intent';
import { type Stage } from './stage';
import { drawTokenAccount } from './token-accounts';
import { tokenOutput } from './token-output';
import { tokenIntent } from './transfer-tokens';

const DELEGATED_SHARE = 0.4;

/** The mint’s authority takes a holder the use of an account. */
export function intendFreeze(stage: Stage): Intent | null {
  return intendState(stage, true);
}

/** And gives it back. */
export function intendThaw(stage: Stage): Intent | null {
  return intendState(stage, false);
}

/** The account stays in its tree and keeps its delegate, if it has one. */
function intendState(stage: Stage, isFrozen: boolean): Intent | null {
  const wantsDelegate = stage.random.chance(DELEGATED_SHARE);
  const drawn = drawTokenAccount(
    stage,
    (token) => token.isFrozen !== isFrozen && (token.delegate !== null || !wantsDelegate),
  );
  if (!drawn) return null;
  const { token, account } = drawn;
  const tree = stage.chain.treeOf(stage.chain.stateTrees, account.tree.tree);
  return tokenIntent(
    [drawn],
    [tokenOutput(stage, tree, { ...token, isFrozen }, account.lamports)],
    stage.cast.wallet(),
  );
}
