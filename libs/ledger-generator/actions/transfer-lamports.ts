import { type CreatedAccount } from '../facts';
import { amountUpTo } from './amounts';
import { type Intent, sumOf, treeChooser, withinU64 } from './intent';
import { type Stage } from './stage';

const MAX_INPUTS = 4;

/** Lamports of some of a wallet's accounts go to another wallet, and the rest back. */
export function intendLamportTransfer(stage: Stage): Intent | null {
  const inputs = drawWalletAccounts(stage);
  if (!inputs) return null;
  const { cast, random } = stage;
  const { owner } = inputs[0];
  const total = sumOf(inputs.map(({ lamports }) => lamports));
  const sent = amountUpTo(total, random);
  const nextTree = treeChooser(stage);
  const shares = [
    { owner: cast.wallet(), lamports: sent },
    { owner, lamports: total - sent },
  ];
  const outputs = shares
    .filter(({ lamports }, i) => i === 0 || lamports > 0n)
    .map((share) => ({ tree: nextTree(), body: { ...share, address: null, data: null }, token: null }));
  return { inputs, outputs, newAddresses: [], payer: owner, program: null };
}

/** Lamports leave compressed accounts; sometimes none of them remains. */
export function intendWithdrawal(stage: Stage): Intent | null {
  const inputs = drawWalletAccounts(stage);
  if (!inputs) return null;
  const { owner } = inputs[0];
  const total = sumOf(inputs.map(({ lamports }) => lamports));
  const kept = stage.random.chance(0.5) ? 0n : amountUpTo(total, stage.random);
  const rest = { owner, lamports: kept, address: null, data: null };
  const outputs = kept > 0n ? [{ tree: treeChooser(stage)(), body: rest, token: null }] : [];
  return { inputs, outputs, newAddresses: [], payer: owner, program: null };
}

/** Accounts of one wallet, which hold nothing but lamports. */
function drawWalletAccounts(stage: Stage): CreatedAccount[] | null {
  const pool = stage.chain.plainAccounts;
  const first = stage.draw(pool, ({ data }) => data === null);
  if (!first) return null;
  const count = stage.random.below(MAX_INPUTS);
  const found = stage.drawWith(pool, first, count, ({ data, owner }) => data === null && owner.equals(first.owner));
  return withinU64(found, ({ lamports }) => lamports);
}
