import { MAX_U64, type Pubkey } from '@fresnel/domain/primitives';
import { type RequestedOutput } from '../chain/compute-transition';
import { amountUpTo, MAX_NEW_ACCOUNTS } from './amounts';
import { type TransitionPlan, stateTreePicker } from './transition-plan';
import { programAccount } from './program-account';
import { type GenerationContext } from './generation-context';

/** Plans new accounts without address: of wallets, with lamports only, or of a program, with data. */
export function planAccountCreation(context: GenerationContext): TransitionPlan {
  const { actors, random } = context;
  return random.chance(0.5) ? planDeposit(context) : planProgramAccounts(context, actors.pickProgram());
}

/** Plans new accounts with data that the program owns. */
export function planProgramAccounts(context: GenerationContext, program: Pubkey): TransitionPlan {
  const nextTree = stateTreePicker(context);
  const outputs = Array.from({ length: context.random.between(1, MAX_NEW_ACCOUNTS) }, () => ({
    tree: nextTree(),
    body: programAccount(context, program, null),
    token: null,
  }));
  return { inputs: [], outputs, newAddresses: [], payer: context.actors.pickWallet(), program };
}

/** A wallet compresses lamports into accounts of random wallets. */
function planDeposit(context: GenerationContext): TransitionPlan {
  const { actors, random } = context;
  const nextTree = stateTreePicker(context);
  let remaining = MAX_U64;
  const outputs = Array.from({ length: random.between(1, MAX_NEW_ACCOUNTS) }, (): RequestedOutput => {
    const lamports = amountUpTo(remaining, random);
    remaining -= lamports;
    return { tree: nextTree(), body: { owner: actors.pickWallet(), lamports, address: null, data: null }, token: null };
  });
  return { inputs: [], outputs, newAddresses: [], payer: actors.pickWallet(), program: null };
}
