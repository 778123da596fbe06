import { intendClosure, intendRewrite, intendUpdate } from './change-accounts';
import { intendCreation } from './create-accounts';
import { intendAddressedCreation } from './create-addressed-accounts';
import { intendDelegation, intendRevocation } from './delegate-tokens';
import { intendFreeze, intendThaw } from './freeze-tokens';
import { type Intend, type Intent } from './intent';
import { intendMint } from './mint-tokens';
import { intendReservation } from './reserve-addresses';
import { type Stage } from './stage';
import { intendLamportTransfer, intendWithdrawal } from './transfer-lamports';
import { intendBurn, intendDelegateTransfer, intendTokenTransfer } from './transfer-tokens';

/** What wallets and programs want, by the name of the action that does nothing else. */
export const TRANSITIONS = {
  createAccounts: intendCreation,
  createAddressedAccounts: intendAddressedCreation,
  reserveAddresses: intendReservation,
  transferLamports: intendLamportTransfer,
  withdrawLamports: intendWithdrawal,
  updateAccount: intendUpdate,
  rewriteAddressedAccount: intendRewrite,
  closeAccount: intendClosure,
  mintTokens: intendMint,
  transferTokens: intendTokenTransfer,
  burnTokens: intendBurn,
  delegateTokens: intendDelegation,
  transferAsDelegate: intendDelegateTransfer,
  revokeDelegate: intendRevocation,
  freezeTokens: intendFreeze,
  thawTokens: intendThaw,
} as const satisfies Record<string, Intend>;

const INTENDS: readonly Intend[] = Object.values(TRANSITIONS);

/** Any intent that the state of the chain allows and that suits, null where there is none. */
export function intendAnything(stage: Stage, suits: (intent: Intent) => boolean, intends = INTENDS): Intent | null {
  for (const intend of stage.random.sample(intends, intends.length)) {
    const intent = intend(stage);
    if (intent && suits(intent)) return intent;
  }
  return null;
}
