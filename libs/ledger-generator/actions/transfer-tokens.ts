import { type Pubkey } from '@fresnel/domain/primitives';
import { type CreatedAccount } from '../facts';
import { type RequestedOutput } from '../chain/compute-transition';
import { GENERATED_PROGRAMS } from '../keys';
import { amountUpTo } from './amounts';
import { type TransitionPlan, sumOf, stateTreePicker } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { drawHolding, drawTokenAccount, type TokenAccount } from './token-accounts';
import { plainToken, tokenOutput } from './token-output';

const MAX_RECIPIENTS = 2;

/** Plans a transfer of tokens from a holder to one or two wallets, with a change account. */
export function planTokenTransfer(context: GenerationContext): TransitionPlan | null {
  const holding = drawHolding(context);
  if (!holding) return null;
  const { mint, owner } = holding[0].token;
  const { actors, random } = context;
  const nextTree = stateTreePicker(context);
  let remaining = sumOf(holding.map(({ token }) => token.amount));
  const sent = Array.from({ length: random.between(1, MAX_RECIPIENTS) }, () => {
    const amount = amountUpTo(remaining, random);
    remaining -= amount;
    return tokenOutput(context, nextTree(), plainToken(mint, actors.pickWallet(), amount));
  });
  const lamports = lamportsOf(holding);
  const hasChange = remaining > 0n || lamports > 0n || random.chance(0.1);
  const change = hasChange ? [tokenOutput(context, nextTree(), plainToken(mint, owner, remaining), lamports)] : [];
  return tokenPlan(holding, [...sent, ...change], owner);
}

/** Plans a transfer by a delegate. The rest stays delegated. */
export function planDelegateTransfer(context: GenerationContext): TransitionPlan | null {
  const drawn = drawTokenAccount(context, ({ delegate, isFrozen }) => delegate !== null && !isFrozen);
  if (!drawn?.token.delegate) return null;
  const { token, account } = drawn;
  const amount = amountUpTo(token.amount, context.random);
  const nextTree = stateTreePicker(context);
  const outputs = [
    tokenOutput(context, nextTree(), plainToken(token.mint, context.actors.pickWallet(), amount)),
    tokenOutput(context, nextTree(), { ...token, amount: token.amount - amount }, account.lamports),
  ];
  return tokenPlan([drawn], outputs, drawn.token.delegate);
}

/** Plans a burn of all tokens of a holder, or of a part. Burning all may leave an account of amount 0. */
export function planBurn(context: GenerationContext): TransitionPlan | null {
  const holding = drawHolding(context);
  if (!holding) return null;
  const { mint, owner } = holding[0].token;
  const total = sumOf(holding.map(({ token }) => token.amount));
  const remaining = context.random.chance(0.7) ? 0n : amountUpTo(total, context.random);
  const hasChange = remaining > 0n || context.random.chance(0.3);
  const change = () =>
    tokenOutput(context, stateTreePicker(context)(), plainToken(mint, owner, remaining), lamportsOf(holding));
  return tokenPlan(holding, hasChange ? [change()] : [], owner);
}

/** A plan that the compressed token program executes. */
export function tokenPlan(
  inputs: readonly { account: CreatedAccount }[],
  outputs: RequestedOutput[],
  payer: Pubkey,
): TransitionPlan {
  const accounts = inputs.map(({ account }) => account);
  return { inputs: accounts, outputs, newAddresses: [], payer, program: GENERATED_PROGRAMS.compressedToken };
}

function lamportsOf(holding: readonly TokenAccount[]): bigint {
  return sumOf(holding.map(({ account }) => account.lamports));
}
