import { type CreatedAccount } from '../facts';
import { amountUpTo } from './amounts';
import { type TransitionPlan, sumOf, stateTreePicker, limitToU64 } from './transition-plan';
import { type GenerationContext } from './generation-context';

const MAX_INPUTS = 4;

/** Plans a transfer of lamports from accounts of a wallet to another wallet, with a change account. */
export function planLamportTransfer(context: GenerationContext): TransitionPlan | null {
  const inputs = drawWalletAccounts(context);
  if (!inputs) return null;
  const { actors, random } = context;
  const { owner } = inputs[0];
  const total = sumOf(inputs.map(({ lamports }) => lamports));
  const sent = amountUpTo(total, random);
  const nextTree = stateTreePicker(context);
  const shares = [
    { owner: actors.pickWallet(), lamports: sent },
    { owner, lamports: total - sent },
  ];
  const outputs = shares
    .filter(({ lamports }, i) => i === 0 || lamports > 0n)
    .map((share) => ({ tree: nextTree(), body: { ...share, address: null, data: null }, token: null }));
  return { inputs, outputs, newAddresses: [], payer: owner, program: null };
}

/** Plans the decompression of lamports, all of them or a part. */
export function planWithdrawal(context: GenerationContext): TransitionPlan | null {
  const inputs = drawWalletAccounts(context);
  if (!inputs) return null;
  const { owner } = inputs[0];
  const total = sumOf(inputs.map(({ lamports }) => lamports));
  const remaining = context.random.chance(0.5) ? 0n : amountUpTo(total, context.random);
  const rest = { owner, lamports: remaining, address: null, data: null };
  const outputs = remaining > 0n ? [{ tree: stateTreePicker(context)(), body: rest, token: null }] : [];
  return { inputs, outputs, newAddresses: [], payer: owner, program: null };
}

/** Accounts of one wallet, with lamports only. */
function drawWalletAccounts(context: GenerationContext): CreatedAccount[] | null {
  const pool = context.chain.plainAccounts;
  const first = context.drawAccount(pool, ({ data }) => data === null);
  if (!first) return null;
  const count = context.random.below(MAX_INPUTS);
  const found = context.drawAccounts(
    pool,
    first,
    count,
    ({ data, owner }) => data === null && owner.equals(first.owner),
  );
  return limitToU64(found, ({ lamports }) => lamports);
}
