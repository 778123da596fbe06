import { MAX_NEW_ACCOUNTS } from './amounts';
import { type TransitionPlan, stateTreePicker } from './transition-plan';
import { programAccount } from './program-account';
import { type GenerationContext } from './generation-context';

/** Plans new accounts with an address each; the same transition creates the addresses. */
export function planAddressedAccounts(context: GenerationContext): TransitionPlan {
  const { actors, chain, random } = context;
  const program = actors.pickProgram();
  const addressTree = random.pick(chain.addressTrees);
  const newAddresses = Array.from({ length: random.between(1, MAX_NEW_ACCOUNTS) }, () =>
    actors.newAddress(addressTree, program),
  );
  const nextTree = stateTreePicker(context);
  const outputs = newAddresses.map(({ address }) => ({
    tree: nextTree(),
    body: programAccount(context, program, address),
    token: null,
  }));
  return { inputs: [], outputs, newAddresses, payer: actors.pickWallet(), program };
}
