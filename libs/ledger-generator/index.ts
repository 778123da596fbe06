/**
 * Generates ledgers with every kind of compression event, and answers RPC methods for them with an independent model.
 *
 * ```
 * options ─► actions ─► chain ─► instructions ─► transaction ─► block      the getBlock response of a node
 *            plans      state    data and        bytes and
 *                         │      accounts        JSON
 *                         └────► facts ───────────────────────► oracle     the expected RPC answers
 * ```
 */
export { type ActionWeights } from './actions/action-mix';
export { ACTION_NAMES, type ActionName } from './actions/action-name';
export { type GeneratedBlock } from './block';
export {
  type AccountBody,
  type AccountData,
  type AddressBatchFacts,
  type AddressesInsertedFacts,
  type BlockFacts,
  type ConsumedAccount,
  type CreatedAccount,
  type EventFacts,
  type LeafMigratedFacts,
  type LeavesNullifiedFacts,
  type Nullification,
  type StateBatchFacts,
  type NewAddress,
  type TokenData,
  type TransactionFacts,
  type TransitionFacts,
} from './facts';
export { generateLedger } from './generate-ledger';
export { generateScriptedLedger, type ScriptedSlot } from './generate-scripted-ledger';
export { DEFAULT_ADDRESS_TREE, generatedTrees } from './generated-trees';
export { GENERATED_PROGRAMS } from './keys';
export { type LedgerBranch, type LedgerOptions } from './ledger-options';
export { Random } from './random';
export { type DataFilter } from './oracle/account-lists';
export { type AddressWithTree } from './oracle/address-proofs';
export {
  type AccountAnswer,
  type AccountDataAnswer,
  type AccountProofsAnswer,
  type AccountV2Answer,
  type Answer,
  type ClosedAccountV2Answer,
  type CompressionInfo,
  type HolderAnswer,
  type NewAddressProof,
  type NewAddressProofsAnswer,
  type Page,
  type PageRequest,
  type ProofStatement,
  type SignatureAnswer,
  type TokenBalanceAnswer,
  type TokenDataAnswer,
  type AccountWithTokenData,
  type TransactionAnswer,
  type ValidityProofOutcome,
} from './oracle/answers';
export { type AccountQuery } from './oracle/compressed-account';
export { type KnownSignature } from './oracle/enumerations';
export { type QueueElementsRequest } from './oracle/queued-entries';
export { LedgerOracle } from './oracle/ledger-oracle';
export { type LedgerTree } from './oracle/tree-accounts';
export { type ValidityProofRequest } from './oracle/validity-proofs';
