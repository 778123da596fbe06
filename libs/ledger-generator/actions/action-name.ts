/** Names of the actions whose transactions report events. */
const COMPRESSION_ACTION_NAMES = [
  'createAccounts',
  'createAddressedAccounts',
  'reserveAddresses',
  'transferLamports',
  'withdrawLamports',
  'updateAccount',
  'updateAddressedAccount',
  'closeAccount',
  'mintTokens',
  'transferTokens',
  'burnTokens',
  'delegateTokens',
  'transferAsDelegate',
  'revokeDelegate',
  'freezeTokens',
  'thawTokens',
  'nullifyLeaves',
  'migrateLeaves',
  'insertAddresses',
  'appendOutputs',
  'nullifyInputs',
  'appendAddresses',
  'useCpiContext',
  'multipleTransitions',
  'multipleInstructions',
  'nonCanonicalBytes',
  'truncatedInstruction',
] as const;

/** Names of the actions whose transactions an index must ignore. */
const OTHER_ACTION_NAMES = ['failTransaction', 'vote', 'transferSol', 'foreignPrograms', 'forgeEvent'] as const;

/** The name of an action whose transactions report events. */
export type CompressionActionName = (typeof COMPRESSION_ACTION_NAMES)[number];

/** The name of an action whose transactions report no event. */
export type OtherActionName = (typeof OTHER_ACTION_NAMES)[number];

/** What a generated transaction does. */
export type ActionName = CompressionActionName | OtherActionName;

/** Every action, in the order in which an action mix lists them. */
export const ACTION_NAMES: readonly ActionName[] = [...COMPRESSION_ACTION_NAMES, ...OTHER_ACTION_NAMES];

/** Whether the transactions of an action report events. */
export function isCompressionAction(name: ActionName): name is CompressionActionName {
  return (COMPRESSION_ACTION_NAMES as readonly ActionName[]).includes(name);
}
