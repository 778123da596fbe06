/**
 * A made-up ledger, and an oracle that knows what an index of it must answer.
 *
 * ```
 * options ─► actions ─► chain ─► calls ─► transaction ─► block      what a node would serve
 *            what is    what it  how it   bytes and
 *            wanted     becomes  is told  JSON
 *                          └──► facts ─────────────────► oracle     what is true
 * ```
 */
export { ACTION_NAMES, type ActionWeights } from './actions/action-mix';
export { type ActionName } from './actions/catalog';
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
  type LeavesNullifiedFacts,
  type Nullification,
  type StateBatchFacts,
  type TakenAddress,
  type TokenData,
  type TransactionFacts,
  type TransitionFacts,
} from './facts';
export { generateLedger } from './generate-ledger';
export { DEFAULT_ADDRESS_TREE, generatedTrees } from './generated-trees';
export { GENERATED_PROGRAMS } from './keys';
export { type LedgerBranch, type LedgerOptions } from './ledger-options';
export { Random } from './random';
export { type AddressQuestion } from './oracle/address-proofs';
export {
  type AccountAnswer,
  type AccountDataAnswer,
  type AccountV2Answer,
  type Answer,
  type ClosedAccountV2Answer,
  type CompressionInfo,
  type HolderAnswer,
  type NewAddressProof,
  type NewAddressProofsAnswer,
  type Page,
  type PageRequest,
  type SignatureAnswer,
  type TokenBalanceAnswer,
  type TokenDataAnswer,
  type TouchedAccount,
  type TransactionAnswer,
} from './oracle/answers';
export { type AccountQuestion } from './oracle/compressed-account';
export { type KnownSignature } from './oracle/enumerations';
export { LedgerOracle } from './oracle/ledger-oracle';
