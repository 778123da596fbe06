import { MAX_U64, type Pubkey } from '@fresnel/domain/primitives';
import { type RequestedOutput } from '../chain/plan-transition';
import { amountUpTo, MAX_NEW_ACCOUNTS } from './amounts';
import { type Intent, treeChooser } from './intent';
import { programAccount } from './program-account';
import { type Stage } from './stage';

/** Accounts without address: a wallet's, which hold lamports only, or a program's, which hold data. */
export function intendCreation(stage: Stage): Intent {
  const { cast, random } = stage;
  return random.chance(0.5) ? intendDeposit(stage) : intendProgramAccounts(stage, cast.program());
}

/** Accounts with data that belong to the program. */
export function intendProgramAccounts(stage: Stage, program: Pubkey): Intent {
  const nextTree = treeChooser(stage);
  const outputs = Array.from({ length: stage.random.between(1, MAX_NEW_ACCOUNTS) }, () => ({
    tree: nextTree(),
    body: programAccount(stage, program, null),
    token: null,
  }));
  return { inputs: [], outputs, newAddresses: [], payer: stage.cast.wallet(), program };
}

/** Lamports that a wallet puts into compressed accounts, its own or somebody else's. */
function intendDeposit(stage: Stage): Intent {
  const { cast, random } = stage;
  const nextTree = treeChooser(stage);
  let left = MAX_U64;
  const outputs = Array.from({ length: random.between(1, MAX_NEW_ACCOUNTS) }, (): RequestedOutput => {
    const lamports = amountUpTo(left, random);
    left -= lamports;
    return { tree: nextTree(), body: { owner: cast.wallet(), lamports, address: null, data: null }, token: null };
  });
  return { inputs: [], outputs, newAddresses: [], payer: cast.wallet(), program: null };
}
