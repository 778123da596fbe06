export { type Block, type BlockTransaction, MalformedBlockError, parseBlockTime, parseParentSlot } from './block';
export { type BlockRules, parseBlock } from './block.codec';
export { JsonCursor } from './json-cursor';
export {
  type AccountBody,
  type AccountData,
  type AddressesInsertedEvent,
  type BatchEvent,
  type CompressionEvent,
  type ElementUpdate,
  type InputAccount,
  type LeafMigratedEvent,
  type LeavesNullifiedEvent,
  type NewAddress,
  type OutputAccount,
  type QueuedNullification,
  type RawElement,
  type TransitionEvent,
  type TreeSequence,
} from './events';
export {
  type ExecutedInstruction,
  type ExecutedTransaction,
  writeExecutedTransaction,
} from './executed-transaction.codec';
export { countInstructions } from './count-instructions';
export { findMissingPart } from './missing-part';
export { findNamedAccounts } from './named-accounts';
export { findSignature, MAX_BLOCK_SIGNATURES } from './find-signatures';
export { TransactionFilter } from './transaction-filter';
export { isFailedTransaction } from './raw-transaction';
export { isUnreadable, type ParsedTransaction, TransactionParser } from './parse-transaction';
export { LIVE_PROGRAMS, type ProgramSet } from './program-set';
export { type DecodedTransaction, decodeTransaction, type TransactionVersion } from './transaction.codec';
