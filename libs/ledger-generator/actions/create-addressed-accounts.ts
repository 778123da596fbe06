import { MAX_NEW_ACCOUNTS } from './amounts';
import { type Intent, treeChooser } from './intent';
import { programAccount } from './program-account';
import { type Stage } from './stage';

/** Accounts that can be found by their addresses, which are taken in the same transition. */
export function intendAddressedCreation(stage: Stage): Intent {
  const { cast, chain, random } = stage;
  const program = cast.program();
  const addressTree = random.pick(chain.addressTrees);
  const newAddresses = Array.from({ length: random.between(1, MAX_NEW_ACCOUNTS) }, () =>
    cast.newAddress(addressTree, program),
  );
  const nextTree = treeChooser(stage);
  const outputs = newAddresses.map(({ address }) => ({
    tree: nextTree(),
    body: programAccount(stage, program, address),
    token: null,
  }));
  return { inputs: [], outputs, newAddresses, payer: cast.wallet(), program };
}
