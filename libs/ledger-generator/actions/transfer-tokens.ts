import { type Pubkey } from '@fresnel/domain/primitives';
import { type CreatedAccount } from '../facts';
import { type RequestedOutput } from '../chain/plan-transition';
import { GENERATED_PROGRAMS } from '../keys';
import { amountUpTo } from './amounts';
import { type Intent, sumOf, treeChooser } from './intent';
import { type Stage } from './stage';
import { drawHolding, drawTokenAccount, type TokenAccount } from './token-accounts';
import { plainToken, tokenOutput } from './token-output';

const MAX_RECIPIENTS = 2;

/** A holder sends tokens to one or two wallets and keeps the rest. */
export function intendTokenTransfer(stage: Stage): Intent | null {
  const holding = drawHolding(stage);
  if (!holding) return null;
  const { mint, owner } = holding[0].token;
  const { cast, random } = stage;
  const nextTree = treeChooser(stage);
  let left = sumOf(holding.map(({ token }) => token.amount));
  const sent = Array.from({ length: random.between(1, MAX_RECIPIENTS) }, () => {
    const amount = amountUpTo(left, random);
    left -= amount;
    return tokenOutput(stage, nextTree(), plainToken(mint, cast.wallet(), amount));
  });
  const lamports = lamportsOf(holding);
  const keepsAccount = left > 0n || lamports > 0n || random.chance(0.1);
  const change = keepsAccount ? [tokenOutput(stage, nextTree(), plainToken(mint, owner, left), lamports)] : [];
  return tokenIntent(holding, [...sent, ...change], owner);
}

/** A delegate sends a part of what it may spend; the rest stays with the holder and delegated. */
export function intendDelegateTransfer(stage: Stage): Intent | null {
  const drawn = drawTokenAccount(stage, ({ delegate, isFrozen }) => delegate !== null && !isFrozen);
  if (!drawn?.token.delegate) return null;
  const { token, account } = drawn;
  const amount = amountUpTo(token.amount, stage.random);
  const nextTree = treeChooser(stage);
  const outputs = [
    tokenOutput(stage, nextTree(), plainToken(token.mint, stage.cast.wallet(), amount)),
    tokenOutput(stage, nextTree(), { ...token, amount: token.amount - amount }, account.lamports),
  ];
  return tokenIntent([drawn], outputs, drawn.token.delegate);
}

/** Everything is burned, most often; then nothing is left behind, or an account that holds 0. */
export function intendBurn(stage: Stage): Intent | null {
  const holding = drawHolding(stage);
  if (!holding) return null;
  const { mint, owner } = holding[0].token;
  const total = sumOf(holding.map(({ token }) => token.amount));
  const left = stage.random.chance(0.7) ? 0n : amountUpTo(total, stage.random);
  const isKept = left > 0n || stage.random.chance(0.3);
  const change = () => tokenOutput(stage, treeChooser(stage)(), plainToken(mint, owner, left), lamportsOf(holding));
  return tokenIntent(holding, isKept ? [change()] : [], owner);
}

/** What the token program does with accounts on behalf of `payer`. */
export function tokenIntent(
  inputs: readonly { account: CreatedAccount }[],
  outputs: RequestedOutput[],
  payer: Pubkey,
): Intent {
  const accounts = inputs.map(({ account }) => account);
  return { inputs: accounts, outputs, newAddresses: [], payer, program: GENERATED_PROGRAMS.compressedToken };
}

function lamportsOf(holding: readonly TokenAccount[]): bigint {
  return sumOf(holding.map(({ account }) => account.lamports));
}
