import { type TransactionDraft } from '../transaction/draft';
import { carryAlone } from './carry';
import { foreignPrograms } from './foreign-programs';
import { forgeEvent } from './forge-event';
import { lenientBytes, unreadableInstruction } from './hostile-instructions';
import { insertAddresses } from './insert-addresses';
import { type Intend } from './intent';
import { appendAddresses, appendOutputs, nullifyInputs } from './move-batches';
import { nullifyLeaves } from './nullify-leaves';
import { failTransaction } from './rehearsals';
import { severalCalls } from './several-calls';
import { severalEvents } from './several-events';
import { type Stage } from './stage';
import { TRANSITIONS } from './transitions';
import { transferSol, vote } from './unrelated';
import { useCpiContext } from './use-cpi-context';

/** Makes up a transaction; null where the state of the chain offers nothing to do. */
export type Action = (stage: Stage) => TransactionDraft | null;

interface CatalogEntry {
  act: Action;
  /** How often it is chosen, compared with the others. */
  weight: number;
}

/** Actions whose transactions report events that count. */
export const COMPRESSION_ACTIONS = {
  createAccounts: { act: alone(TRANSITIONS.createAccounts), weight: 8 },
  createAddressedAccounts: { act: alone(TRANSITIONS.createAddressedAccounts), weight: 6 },
  reserveAddresses: { act: alone(TRANSITIONS.reserveAddresses), weight: 3 },
  transferLamports: { act: alone(TRANSITIONS.transferLamports), weight: 8 },
  withdrawLamports: { act: alone(TRANSITIONS.withdrawLamports), weight: 2 },
  updateAccount: { act: alone(TRANSITIONS.updateAccount), weight: 6 },
  rewriteAddressedAccount: { act: alone(TRANSITIONS.rewriteAddressedAccount), weight: 6 },
  closeAccount: { act: alone(TRANSITIONS.closeAccount), weight: 2 },
  mintTokens: { act: alone(TRANSITIONS.mintTokens), weight: 8 },
  transferTokens: { act: alone(TRANSITIONS.transferTokens), weight: 14 },
  burnTokens: { act: alone(TRANSITIONS.burnTokens), weight: 3 },
  delegateTokens: { act: alone(TRANSITIONS.delegateTokens), weight: 4 },
  transferAsDelegate: { act: alone(TRANSITIONS.transferAsDelegate), weight: 2 },
  revokeDelegate: { act: alone(TRANSITIONS.revokeDelegate), weight: 2 },
  freezeTokens: { act: alone(TRANSITIONS.freezeTokens), weight: 3 },
  thawTokens: { act: alone(TRANSITIONS.thawTokens), weight: 2 },
  nullifyLeaves: { act: nullifyLeaves, weight: 10 },
  insertAddresses: { act: insertAddresses, weight: 5 },
  appendOutputs: { act: appendOutputs, weight: 6 },
  nullifyInputs: { act: nullifyInputs, weight: 5 },
  appendAddresses: { act: appendAddresses, weight: 4 },
  useCpiContext: { act: useCpiContext, weight: 2 },
  severalEvents: { act: severalEvents, weight: 3 },
  severalCalls: { act: severalCalls, weight: 3 },
  lenientBytes: { act: lenientBytes, weight: 2 },
  unreadableInstruction: { act: unreadableInstruction, weight: 0 },
} as const satisfies Record<string, CatalogEntry>;

/** Actions whose transactions must leave no trace in an index. */
export const OTHER_ACTIONS = {
  failTransaction: { act: failTransaction, weight: 5 },
  vote: { act: vote, weight: 12 },
  transferSol: { act: transferSol, weight: 6 },
  foreignPrograms: { act: foreignPrograms, weight: 2 },
  forgeEvent: { act: forgeEvent, weight: 2 },
} as const satisfies Record<string, CatalogEntry>;

/** What a transaction can be made for. */
export type ActionName = keyof typeof COMPRESSION_ACTIONS | keyof typeof OTHER_ACTIONS;

function alone(intend: Intend): Action {
  return (stage) => {
    const intent = intend(stage);
    return intent && carryAlone(stage, intent);
  };
}
