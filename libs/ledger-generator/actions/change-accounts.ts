import { keyOf } from '@fresnel/domain/primitives';
import { type StateTree } from '../chain/chain';
import { type CreatedAccount } from '../facts';
import { type Intent, treeChooser } from './intent';
import { programData } from './program-account';
import { type Stage } from './stage';

/** A program changes an account's data: the account is consumed and created again with the same owner and address. */
export function intendUpdate(stage: Stage): Intent | null {
  return intendChange(stage, (account) => account.address === null);
}

/** The same for an account with an address, which never is without an account in between. */
export function intendRewrite(stage: Stage): Intent | null {
  return intendChange(stage, (account) => account.address !== null);
}

/** A program closes an account; its lamports leave, its address stays taken for ever. */
export function intendClosure(stage: Stage): Intent | null {
  const account = drawProgramAccount(stage, () => true);
  if (!account) return null;
  return { inputs: [account], outputs: [], newAddresses: [], payer: stage.cast.wallet(), program: account.owner };
}

function intendChange(stage: Stage, suits: (account: CreatedAccount) => boolean): Intent | null {
  const account = drawProgramAccount(stage, suits);
  if (!account) return null;
  const stays = stage.random.chance(0.7);
  const tree: StateTree = stays ? stage.chain.treeOf(stage.chain.stateTrees, account.tree.tree) : treeChooser(stage)();
  const { owner, lamports, address } = account;
  const output = { tree, body: { owner, lamports, address, data: programData(stage) }, token: null };
  return { inputs: [account], outputs: [output], newAddresses: [], payer: stage.cast.wallet(), program: owner };
}

function drawProgramAccount(stage: Stage, suits: (account: CreatedAccount) => boolean): CreatedAccount | null {
  const programs = new Set(stage.cast.programs.map(keyOf));
  return stage.draw(stage.chain.plainAccounts, (account) => programs.has(keyOf(account.owner)) && suits(account));
}
