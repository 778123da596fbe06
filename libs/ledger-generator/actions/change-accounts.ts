import { keyOf } from '@fresnel/domain/primitives';
import { type StateTree } from '../chain/chain';
import { type CreatedAccount } from '../facts';
import { type TransitionPlan, stateTreePicker } from './transition-plan';
import { programData } from './program-account';
import { type GenerationContext } from './generation-context';

/** Plans an update of an account without address: consumes it and creates it again with new data. */
export function planUpdate(context: GenerationContext): TransitionPlan | null {
  return planAccountChange(context, (account) => account.address === null);
}

/** Plans an update of an account with an address, which stays in use. */
export function planAddressedUpdate(context: GenerationContext): TransitionPlan | null {
  return planAccountChange(context, (account) => account.address !== null);
}

/** Plans the closing of a program's account. Its lamports are decompressed, and its address cannot be used again. */
export function planClosure(context: GenerationContext): TransitionPlan | null {
  const account = drawProgramAccount(context, () => true);
  if (!account) return null;
  return {
    inputs: [account],
    outputs: [],
    newAddresses: [],
    payer: context.actors.pickWallet(),
    program: account.owner,
  };
}

function planAccountChange(
  context: GenerationContext,
  matches: (account: CreatedAccount) => boolean,
): TransitionPlan | null {
  const account = drawProgramAccount(context, matches);
  if (!account) return null;
  const keepsTree = context.random.chance(0.7);
  const tree: StateTree = keepsTree
    ? context.chain.treeOf(context.chain.stateTrees, account.tree.tree)
    : stateTreePicker(context)();
  const { owner, lamports, address } = account;
  const output = { tree, body: { owner, lamports, address, data: programData(context) }, token: null };
  return { inputs: [account], outputs: [output], newAddresses: [], payer: context.actors.pickWallet(), program: owner };
}

function drawProgramAccount(
  context: GenerationContext,
  matches: (account: CreatedAccount) => boolean,
): CreatedAccount | null {
  const programs = new Set(context.actors.programs.map(keyOf));
  return context.drawAccount(
    context.chain.plainAccounts,
    (account) => programs.has(keyOf(account.owner)) && matches(account),
  );
}
