export { changesTrees, mayChangeTrees } from './changes-trees';
export {
  type AccountFacts,
  type ConsumedAccount,
  type CreatedAccount,
  foldAccounts,
  type TransactionAccounts,
} from './fold-accounts';
export { countMigratedLeaves, type KnownUpdate } from './count-migrated-leaves';
export { type MigratedLeaf } from './fold-migrated-leaves';
export { foldTreeChanges, type TreeUpdate } from './fold-tree-changes';
export { hashAccount, hashNullifiers, hashToField } from './hashes';
export { mergeDeadLetters } from './merge-dead-letters';
export { type ParsedSlot, parseSlot } from './parse-slot';
export { type PlaceProblem, readPlaceProblem, writePlaceProblem } from './place-problem';
export { type DeadLetter, type SlotEvents, type TransactionEvents } from './slot-events';
export { encodeTokenData, isTokenAccount, type TokenData, type TokenState } from './token-data.codec';
export { isDecompressedPlaceholder } from './onchain-pubkey';
export {
  decodeSplTokenAccount,
  encodeSplTokenAccount,
  type SplTokenAccount,
  sumTokenAccounts,
  toSplTokenAccount,
} from './spl-token-account.codec';
export { TreeDirectory } from './tree-directory';
